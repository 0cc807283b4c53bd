import type { PlainAnswer, Routes } from './server.js';

/** A named question; the answer is empty when all is well, and says what is wrong otherwise. */
export interface HealthCheck {
  readonly name: string;
  readonly problem: () => string;
}

/** `/healthz` and `/readyz`, each with every check on a line of its own. */
export function healthRoutes(live: readonly HealthCheck[], ready: readonly HealthCheck[]): Routes {
  return { '/healthz': () => report(live), '/readyz': () => report(ready) };
}

function report(checks: readonly HealthCheck[]): PlainAnswer {
  const lines = checks.map(({ name, problem }) => {
    const text = problem();
    return { isGood: text === '', line: text === '' ? `[+] ${name}` : `[-] ${name}: ${text}` };
  });
  const isGood = lines.every((line) => line.isGood);
  return {
    status: isGood ? 200 : 503,
    body: `${[...lines.map(({ line }) => line), isGood ? 'ok' : 'failed'].join('\n')}\n`,
  };
}
