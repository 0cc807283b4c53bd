import { stringify } from 'yaml';
import { type BootstrapOptions, FOLDERS } from './options.js';

/** The command that renders the inputs, run in the folder of the layout. */
export function renderCommand({ engine, version }: Pick<BootstrapOptions, 'engine' | 'version'>): string {
  const flags = engine === 'flux' ? ' --flux' : '';
  return `npx --yes hermes-gitops@${version} synth ${FOLDERS.inputs} -o ${FOLDERS.rendered} --prune${flags}`;
}

/** A GitHub workflow that fails when what is rendered is not what the inputs say, with a note at every mistake. */
export function checkWorkflow(options: BootstrapOptions): string {
  const { branch, path } = options;
  const check = {
    'runs-on': 'ubuntu-latest',
    steps: [
      { uses: 'actions/checkout@v4' },
      { uses: 'actions/setup-node@v4', with: { 'node-version': 22 } },
      {
        name: 'Rendered files are up to date',
        run: `${renderCommand(options)} --check --format github`,
        ...(path !== '' && { 'working-directory': path }),
      },
    ],
  };
  // Not in the sorted form of manifests: this is a file that people go on writing.
  const workflow = {
    name: 'hermes-gitops',
    on: { pull_request: {}, push: { branches: [branch] } },
    permissions: { contents: 'read' },
    jobs: { check },
  };
  return stringify(workflow, { lineWidth: 0 });
}
