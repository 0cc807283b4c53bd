/** How every file that synth writes begins. Files without it are never overwritten or removed. */
export const HEADER_MARK = '# Rendered by hermes-gitops';

/** First line of a file with the manifests of `sources`. */
export function manifestHeader(sources: readonly string[]): string {
  return `${HEADER_MARK} from ${sources.map(oneLine).join(', ')}. Do not edit.\n`;
}

/** First lines of a kustomization. */
export const KUSTOMIZATION_HEADER = `${HEADER_MARK}. Do not edit.
# Set no namespace here or in the engine that applies this: labels, subjects and names already carry the one they need.
`;

/** A file may be called anything, a line break included, and the header has to stay a comment. */
function oneLine(path: string): string {
  return path.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g, '?');
}
