/**
 * The syntaxes of names in Kubernetes. Each check returns what is wrong, or undefined.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A check of one string: what is wrong with it, or undefined. */
export type SyntaxCheck = (text: string) => string | undefined;

/** Namespaces, volumes, port names: RFC 1123 label. */
export const dnsLabelTrouble: SyntaxCheck = (text) => {
  if (text.length > 63) return `is longer than 63 characters (${text.length})`;
  return LABEL.test(text)
    ? undefined
    : "has to be lower-case letters, digits and '-', with a letter or digit at both ends";
};

/** Names of most objects, and host names: RFC 1123 subdomain. */
export const dnsSubdomainTrouble: SyntaxCheck = (text) => {
  if (text.length > 253) return `is longer than 253 characters (${text.length})`;
  return text.split('.').every((part) => LABEL.test(part))
    ? undefined
    : "has to be lower-case letters, digits, '-' and '.', each part with a letter or digit at both ends";
};

/** Keys of labels, annotations and taints: `name` or `prefix/name`. */
export const qualifiedNameTrouble: SyntaxCheck = (text) => {
  const parts = text.split('/');
  if (parts.length > 2) return "may contain only one '/'";
  const [prefix, name] = parts.length === 2 ? (parts as [string, string]) : [undefined, parts[0] ?? ''];
  if (prefix !== undefined && dnsSubdomainTrouble(prefix) !== undefined)
    return `has the prefix ${prefix}, which is no DNS name`;
  if (name.length > 63) return `is longer than 63 characters after the prefix (${name.length})`;
  return NAME_PART.test(name)
    ? undefined
    : "has to be letters, digits, '-', '_' and '.', with a letter or digit at both ends";
};

/** Values of labels. */
export const labelValueTrouble: SyntaxCheck = (text) => {
  if (text.length > 63) return `is longer than 63 characters (${text.length})`;
  return text === '' || NAME_PART.test(text)
    ? undefined
    : "has to be letters, digits, '-', '_' and '.', with a letter or digit at both ends";
};

/** Keys of ConfigMaps and Secrets. */
export const configKeyTrouble: SyntaxCheck = (text) => {
  if (text.length > 253) return `is longer than 253 characters (${text.length})`;
  if (text === '.' || text === '..' || text.startsWith('..')) return "must not be '.', '..' or begin with '..'";
  return /^[-._a-zA-Z0-9]+$/.test(text) ? undefined : "has to be letters, digits, '-', '_' and '.'";
};

/** Names of environment variables: any printable ASCII but `=`. */
export const envNameTrouble: SyntaxCheck = (text) =>
  /^[ -<>-~]+$/.test(text) ? undefined : "has to be printable ASCII characters other than '='";

/** Path segments of RBAC object names, which allow more than other names. */
export const pathSegmentTrouble: SyntaxCheck = (text) => {
  if (text === '.' || text === '..') return "must not be '.' or '..'";
  return /[/%]/.test(text) ? "must not contain '/' or '%'" : undefined;
};
