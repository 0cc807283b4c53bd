import { HEADER_MARK } from '../../lib/emit/header.js';
import { toYaml } from '../../lib/emit/yaml.js';

/** The text of a file with one object. */
export function objectText(object: object): string {
  return `${HEADER_MARK}. Do not edit.\n---\n${toYaml(object)}`;
}
