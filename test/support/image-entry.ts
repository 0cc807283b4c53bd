import { readFileSync } from 'node:fs';

/** How the image starts the controller. */
export interface ImageEntry {
  /** Flags of Node and V8. */
  readonly nodeFlags: readonly string[];
  /** Path of the bundle in the image. */
  readonly script: string;
}

/** Reads it from the Dockerfile, so that what is tested and measured runs as the image does. */
export function imageEntry(): ImageEntry {
  const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
  const [, entry = '[]'] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  const [, ...rest] = JSON.parse(entry) as string[];
  const script = rest.pop();
  if (script === undefined) throw new Error('the Dockerfile has no ENTRYPOINT of Node and a script');
  return { nodeFlags: rest, script };
}
