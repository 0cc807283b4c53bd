import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import type { AgentCheck } from './agent-check.js';

const PATH_PART = /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$/;
const DOMAIN = /^([a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*(:\d+)?$/;
const IPV6_DOMAIN = /^\[[0-9a-fA-F:]+\](:\d+)?$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

interface ImageTrouble {
  readonly message: string;
  readonly hint: string;
}

interface ImageParts {
  readonly name: string;
  readonly tag?: string;
  readonly digest?: string;
}

const agentImage: AgentCheck = {
  reads: ['image'],
  check: ({ spec }, report) => {
    checkImage(spec.image, ['spec', 'image'], report);
  },
};

const dashboardImage: AgentCheck = {
  reads: ['dashboard'],
  check: ({ spec }, report) => {
    const image = spec.dashboard?.image;
    if (image !== undefined) checkImage(image, ['spec', 'dashboard', 'image'], report);
  },
};

/** Checks of the two images of an agent. */
export const imageChecks: readonly AgentCheck[] = [agentImage, dashboardImage];

/** Reports what is wrong with an image reference, and warns of one that may mean another image tomorrow. */
export function checkImage(image: string, path: readonly PathSegment[], report: Reporter): void {
  const trouble = imageTrouble(image);
  if (trouble !== undefined) {
    report.error(path, { rule: 'ImageSyntax', ...trouble });
    return;
  }
  const { tag, digest } = split(image);
  if (digest !== undefined || (tag !== undefined && tag !== 'latest')) return;
  const message = tag === undefined ? 'names no tag' : 'the tag latest moves';
  report.warning(path, { rule: 'MovingTag', message, hint: 'pin a version or a digest' });
}

/** What is wrong with an image reference, or undefined: the kubelet would only say InvalidImageName, after the rollout. */
export function imageTrouble(image: string): ImageTrouble | undefined {
  if (image !== image.trim())
    return { message: 'begins or ends with blanks or line ends', hint: `write ${image.trim()}` };
  if (/\s/.test(image)) return { message: 'contains blanks', hint: 'remove the blanks' };
  const { name, tag, digest } = split(image);
  if (tag !== undefined && !TAG.test(tag)) {
    return {
      message: `${JSON.stringify(tag)} is no tag`,
      hint: 'write one colon and letters, digits, _, . or - after it',
    };
  }
  if (digest !== undefined && (!DIGEST.test(digest) || (digest.startsWith('sha256:') && digest.length !== 71))) {
    return { message: 'the digest is not sha256: and 64 hexadecimal digits', hint: 'copy the whole digest' };
  }
  return nameTrouble(name, image.slice(name.length));
}

/** `rest` is what follows the name, for hints that show the whole reference. */
function nameTrouble(name: string, rest: string): ImageTrouble | undefined {
  const [first = '', ...others] = name.split('/');
  const domain = others.length > 0 && isDomain(first) ? first : undefined;
  if (domain !== undefined && !DOMAIN.test(domain) && !IPV6_DOMAIN.test(domain)) {
    return { message: `${JSON.stringify(domain)} is no registry`, hint: 'write host or host:port before the first /' };
  }
  if (name.length > 255) return { message: 'the name is longer than 255 characters', hint: 'use a shorter name' };
  const repository = domain === undefined ? name : others.join('/');
  if (isRepository(repository)) return undefined;
  return isRepository(repository.toLowerCase())
    ? { message: 'the repository has upper-case letters', hint: `write ${name.toLowerCase()}${rest}` }
    : { message: `${JSON.stringify(repository)} is no repository`, hint: 'write registry/repository:tag' };
}

/** Container runtimes take the first part for a registry when it cannot be a part of a repository. */
function isDomain(first: string): boolean {
  return /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
}

function isRepository(text: string): boolean {
  return text.split('/').every((part) => PATH_PART.test(part));
}

/** A colon before the last slash is that of a port. */
function split(image: string): ImageParts {
  const at = image.indexOf('@');
  const [rest, digest] = at < 0 ? [image, undefined] : [image.slice(0, at), image.slice(at + 1)];
  const colon = rest.indexOf(':', rest.lastIndexOf('/') + 1);
  const [name, tag] = colon < 0 ? [rest, undefined] : [rest.slice(0, colon), rest.slice(colon + 1)];
  return { name, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
}
