// The cache that Argo CD asks for, for the GitOps tests.
module hermes-gitops.dev/test/cluster/redis

go 1.26.0

require github.com/alicebob/miniredis/v2 v2.35.0

require github.com/yuin/gopher-lua v1.1.1 // indirect
