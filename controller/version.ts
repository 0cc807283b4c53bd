/** Put in by the bundler; absent in a process that runs from separate files. */
declare const HERMES_GITOPS_VERSION: string | undefined;
declare const HERMES_GITOPS_COMMIT: string | undefined;

/** Version and commit, for `--version`. */
export function versionText(): string {
  const version = typeof HERMES_GITOPS_VERSION === 'string' ? HERMES_GITOPS_VERSION : 'development';
  const commit = typeof HERMES_GITOPS_COMMIT === 'string' ? HERMES_GITOPS_COMMIT : '';
  return `hermes-gitops controller ${version}${commit === '' ? '' : ` (${commit})`}`;
}
