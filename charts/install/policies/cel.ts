/** A text as a literal of CEL. */
export function celText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** Texts as a list of CEL. */
export function celList(texts: readonly string[]): string {
  return `[${texts.map(celText).join(', ')}]`;
}

/**
 * True when two maps hold the same but for some keys. Every key is compared, so that a field which a later Kubernetes
 * brings is covered too. Both are made dynamic because the type checker knows structures, which cannot be gone through.
 */
export function sameExcept(former: string, current: string, keys: readonly string[]): string {
  const [a, b, skipped] = [`dyn(${former})`, `dyn(${current})`, celList(keys)];
  return (
    `${a}.all(k, k in ${skipped} || (k in ${b} && ${a}[k] == ${b}[k]))` +
    ` && ${b}.all(k, k in ${skipped} || k in ${a})`
  );
}
