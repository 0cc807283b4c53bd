# The image of the controller: Node and one file. No registry is named here; both images are given by digest, so that
# the same commit always gives the same image:
#
#   docker build \
#     --build-arg BUILD_IMAGE=<Node 20 or newer with npm, by digest> \
#     --build-arg BASE_IMAGE=<glibc and libstdc++, nothing else, by digest> \
#     --build-arg COMMIT=$(git rev-parse --short=12 HEAD) \
#     -t hermes-gitops-controller:0.1.0 .
#
# The C library of the two has to match: Node is taken over from the first.
ARG BUILD_IMAGE
ARG BASE_IMAGE

FROM ${BUILD_IMAGE} AS build
ARG BUILD_IMAGE
ARG BASE_IMAGE
RUN for image in "$BUILD_IMAGE" "$BASE_IMAGE"; do case "$image" in *@sha256:*) ;; *) echo "\"$image\" is not given by digest" >&2; exit 1 ;; esac; done
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
ARG COMMIT
RUN HERMES_GITOPS_COMMIT="$COMMIT" npm run build
RUN node build/controller/bundle.mjs --version

FROM ${BASE_IMAGE}
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /src/build/controller/bundle.mjs /src/LICENSE /app/
USER 65532:65532
ENV NODE_ENV=production
# One helper thread of V8 in place of four: each costs memory of its own, and to share out a collection of a small heap
# takes longer than to do it.
ENTRYPOINT ["/usr/local/bin/node", "--v8-pool-size=1", "--no-parallel-scavenge", "/app/bundle.mjs"]
