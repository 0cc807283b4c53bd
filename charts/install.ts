import { hermesAgentCrd } from '../lib/api/crd.js';
import { HEADER_MARK } from '../lib/emit/header.js';
import { kustomizations } from '../lib/emit/kustomization.js';
import { toYaml } from '../lib/emit/yaml.js';

/** Objects of the install set by the path of their file below `install/base`. */
const BASE: ReadonlyMap<string, object> = new Map([['crds/hermesagents.yaml', hermesAgentCrd()]]);

/** The install set: path below its folder to text. One object a file. */
export function installFiles(): ReadonlyMap<string, string> {
  const files = new Map(
    [...BASE].map(([path, object]) => [path, `${HEADER_MARK}. Do not edit.\n---\n${toYaml(object)}`] as const),
  );
  return new Map([...files, ...kustomizations(files.keys())]);
}
