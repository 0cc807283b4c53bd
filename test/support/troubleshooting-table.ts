import { readFileSync } from 'node:fs';

/** One row of a table in docs/troubleshooting.md or docs/run-outcomes.md. */
export interface TroubleRow {
  readonly id: string;
  readonly phase: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly advice: string;
}

/** Every row of every table of the page whose first cell is an id. */
export function troubleshootingTable(page = 'troubleshooting'): readonly TroubleRow[] {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => {
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    const id = /^`([a-z-]+)`$/.exec(cells[0] ?? '')?.[1];
    return id === undefined ? [] : [toRow(id, cells)];
  });
}

function toRow(
  id: string,
  [, , phase = '', condition = '', reason = '', message = '', advice = '']: string[],
): TroubleRow {
  const [type = '', status = ''] = unquote(condition).split('=');
  return { id, phase: unquote(phase), type, status, reason: unquote(reason), message: unquote(message), advice };
}

/** The text of a code span as it is: doubled backticks are only there for a text that holds one. */
function unquote(cell: string): string {
  return cell.replace(/^`(.*)`$/, '$1').replaceAll('\\|', '|');
}
