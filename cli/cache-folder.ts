import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where this program keeps what is of use to this user on this machine only. */
export function cacheFolder(): string {
  const base = process.env['XDG_CACHE_HOME'] ?? '';
  return join(base === '' ? join(homedir(), '.cache') : base, 'hermes-gitops');
}
