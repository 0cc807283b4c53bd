import { type BootstrapOptions, FOLDERS, repositoryPath } from './options.js';
import { renderCommand } from './workflow.js';

const ENGINE_NAMES = { flux: 'Flux', argocd: 'Argo CD' } as const;

/** What somebody who opens the folder of the inputs needs to know. */
export function inputsReadme(options: BootstrapOptions): string {
  const { engine, namespace, path } = options;
  const { inputs, rendered, engine: gitops } = FOLDERS;
  const unit = engine === 'flux' ? 'Kustomization' : 'Application';
  const where = path === '' ? 'the root of this repository' : `\`${path}\``;
  return `# Agents

Every YAML file in this folder is read, however the folders below it are called. What is written here is rendered to
\`${rendered}\`, which is what ${ENGINE_NAMES[engine]} applies. Nobody edits \`${rendered}\` by hand.

| folder | holds |
| --- | --- |
| \`${inputs}\` | what people write |
| \`${rendered}\` | what \`synth\` made of it: \`<namespace>/agents\` and \`<namespace>/runs\` |
| \`${gitops}\` | one ${unit} for the agents of each namespace, one for its runs |

## Once

1. Install the controller and its kinds: \`kubectl apply --server-side -k dist/install/base\` of the package
   hermes-gitops.
2. Commit and push this repository.
3. \`kubectl apply -k ${repositoryPath(options, gitops)}\`. From then on ${ENGINE_NAMES[engine]} keeps itself in line with the folder.

## To change an agent

Edit its file, render, commit both. In ${where}:

\`\`\`sh
${renderCommand(options)}
\`\`\`

The workflow \`.github/workflows/hermes-gitops.yaml\` fails when that was forgotten.

## Another namespace

Write its agents here with their \`metadata.namespace\`, and copy \`${gitops}/${namespace}\` to \`${gitops}/<namespace>\`. There put the
new namespace

- in \`namespace.yaml\` in place of the name,
- in \`agents.yaml\` and \`runs.yaml\` between \`hermes-\` and \`-agents\` or \`-runs\` of the name, and in the path below
  \`${rendered}\`; nowhere else, for the repository may have the same word in its name.

Add the folder to \`${gitops}/kustomization.yaml\`, and give its runs a place to be:
\`cp ${rendered}/${namespace}/runs/kustomization.yaml ${rendered}/<namespace>/runs/\`.

## To give a namespace up

Remove its agents from this folder and \`${gitops}/<namespace>\` in the same commit. The namespace itself stays, with the
volumes that are to be kept; delete it by hand when nothing in it is needed.
`;
}
