/**
 * Sets an own property, whatever its name: an assignment to `__proto__` would change the object's prototype instead.
 */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
    return;
  }
  (target as Record<string, unknown>)[key] = value;
}

/** Whether `value` is a JSON object, that is neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value` as JSON without blanks and with sorted keys: two equal values give the same text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  let fields = '';
  for (const key of Object.keys(value).sort()) {
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value[key])}`;
  }
  return `{${fields}}`;
}
