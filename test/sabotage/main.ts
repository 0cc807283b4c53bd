import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Sabotage, SABOTAGES } from './sabotages.js';

/**
 * Breaks a copy of the sources in one way after the other, and fails unless each time the test turns red that is meant
 * to notice. Before that every one of those tests has to be green.
 */
const root = join(import.meta.dirname, '..', '..');

/** State of each test by its full name, as the runner tells it. */
type Outcome = ReadonlyMap<string, string>;

function copySources(folder: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of listed.toString('utf8').split('\0')) {
    if (path === '') continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

function runTests(folder: string, files: readonly string[]): Outcome {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const runner = join('node_modules', 'vitest', 'vitest.mjs');
  const reporter = ['--reporter=json', `--outputFile=${report}`];
  const { stderr } = spawnSync(process.execPath, [runner, 'run', '--project=unit', ...reporter, ...files], {
    cwd: folder,
    encoding: 'utf8',
  });
  const { testResults } = JSON.parse(readReport(report, stderr)) as {
    readonly testResults: readonly {
      readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
    }[];
  };
  return new Map(testResults.flatMap(({ assertionResults }) => assertionResults.map((t) => [t.fullName, t.status])));
}

function readReport(path: string, errors: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`the tests did not run:\n${errors}`, { cause });
  }
}

/** What is wrong with a sabotage; undefined when it was noticed. */
function trouble(folder: string, { file, find, replace, test }: Sabotage): string | undefined {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) return `what it replaces does not stand in ${file} exactly once`;
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    const status = runTests(folder, [test.file]).get(test.name);
    return status === 'failed' ? undefined : `"${test.name}" is ${status ?? 'not there'}`;
  } finally {
    writeFileSync(path, source);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'hermes-gitops-sabotage-'));
try {
  copySources(folder);
  const whole = runTests(folder, [...new Set(SABOTAGES.map(({ test }) => test.file))]);
  for (const sabotage of SABOTAGES) {
    const before = whole.get(sabotage.test.name);
    const wrong =
      before === 'passed' ? trouble(folder, sabotage) : `"${sabotage.test.name}" is ${before ?? 'not there'} unbroken`;
    process.stdout.write(
      `${wrong === undefined ? 'noticed' : 'MISSED '}  ${sabotage.title}${wrong === undefined ? '' : `: ${wrong}`}\n`,
    );
    if (wrong !== undefined) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
