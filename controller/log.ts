import pino from 'pino';

/** The levels and the shape of a log call: fields first, then a message that never varies. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log on standard output: JSON lines, or `time LEVEL message key=value …` for people. */
export function createLogger(format: 'json' | 'text', level: string): Logger {
  const settings = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string): object => ({ level: label }) },
  };
  if (format === 'json') return pino(settings, pino.destination({ dest: 1, sync: true }));
  return pino(settings, {
    write: (line: string): void => {
      process.stdout.write(toText(line));
    },
  });
}

function toText(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${[time, String(level).toUpperCase(), msg, ...rest].join(' ')}\n`;
}
