import { isDeepStrictEqual } from 'node:util';
import type { PlatformState, ProbeAnswer } from '../status/observed.js';
import { ProbeFailure } from './failure.js';

/** Undeclared platforms that are looked at: more than there are, and a dashboard may name thousands. */
const MAX_LOOKED_AT = 256;
/** Those of them that are kept for the message. */
const MAX_UNDECLARED = 20;
/** Longest text that is kept; more than any message shows. */
const MAX_TEXT = 2048;
const MAX_NAME = 253;
const NO_PLATFORMS = 'its answer holds no map of platforms';
/** The CRD stores 32 bits. */
const MAX_COUNT = 2 ** 31 - 1;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what a dashboard said: fields of other types are taken as missing. Throws {@link ProbeFailure}, and nothing else,
 * for what is no state of a gateway at all, such as the page of a login.
 */
export function parseAnswer(text: string, at: number, declared: readonly string[]): ProbeAnswer {
  const body = fieldsOf(parseJson(text));
  if (body === undefined) throw new ProbeFailure('its answer is no JSON object');
  const running = body['gateway_running'];
  const state = textOf(body['gateway_state']);
  const platforms = body['gateway_platforms'] ?? undefined;
  if (typeof running !== 'boolean' && state === undefined && fieldsOf(platforms) === undefined) {
    throw new ProbeFailure('its answer says nothing of a gateway');
  }
  return {
    at,
    gatewayRunning: typeof running === 'boolean' ? running : undefined,
    gatewayState: state,
    exitReason: textOf(body['gateway_exit_reason']),
    activeSessions: countOf(body['active_sessions']),
    restartDrainTimeout: secondsOf(body['restart_drain_timeout']),
    platforms: parsePlatforms(platforms, declared),
  };
}

/** Whether two answers say the same, whenever they came. */
export function saysTheSame(a: ProbeAnswer | undefined, b: ProbeAnswer): boolean {
  return a !== undefined && isDeepStrictEqual({ ...a, at: 0 }, { ...b, at: 0 });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProbeFailure('its answer is no JSON');
  }
}

/** Takes time by the gateways that are declared and by a cut, however many platforms there are. */
function parsePlatforms(value: unknown, declared: readonly string[]): ReadonlyMap<string, PlatformState> {
  if (value === undefined) return new Map();
  const fields = fieldsOf(value);
  if (fields === undefined) throw new ProbeFailure(NO_PLATFORMS);
  const looked = undeclaredNames(fields, new Set(declared));
  const others = looked.filter((name) => fieldsOf(fields[name]) !== undefined);
  const ours = declared.filter((name) => Object.hasOwn(fields, name) && fieldsOf(fields[name]) !== undefined);
  if (ours.length + others.length === 0 && !isEmpty(fields)) throw new ProbeFailure(NO_PLATFORMS);
  // Sorted before the cut, so that the order of a map decides nothing.
  const named = others.filter((name) => name.length <= MAX_NAME).sort();
  const kept = [...ours, ...named.slice(0, MAX_UNDECLARED)];
  return new Map(kept.map((name) => [name, platformState(fieldsOf(fields[name]) ?? {})]));
}

function undeclaredNames(fields: Fields, declared: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  for (const name in fields) {
    if (names.length >= MAX_LOOKED_AT) break;
    if (!declared.has(name)) names.push(name);
  }
  return names;
}

function isEmpty(fields: Fields): boolean {
  for (const name in fields) return !Object.hasOwn(fields, name);
  return true;
}

function platformState(platform: Fields): PlatformState {
  return {
    state: textOf(platform['state']),
    errorCode: textOf(platform['error_code']),
    errorMessage: textOf(platform['error_message']),
  };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : undefined;
}

function countOf(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 ? Math.min(value as number, MAX_COUNT) : undefined;
}

function secondsOf(value: unknown): number | undefined {
  return Number.isFinite(value) && (value as number) >= 0 ? (value as number) : undefined;
}
