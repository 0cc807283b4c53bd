import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../../../controller/kube/server-clock.js';

const T0 = Date.UTC(2026, 0, 1, 12, 0, 0);
const date = (ms: number): string => new Date(ms).toUTCString();

describe('ServerClock', () => {
  it('is the local clock before the first answer', () => {
    const clock = new ServerClock(
      () => 5,
      () => 1234,
    );
    expect(clock.now()).toBe(1234);
  });

  it.each([
    { title: 'seven minutes ahead', local: T0 + 420_000 },
    { title: 'seven minutes behind', local: T0 - 420_000 },
  ])('follows the server, whatever the local clock says: $title', ({ local }) => {
    let monotonic = 1000;
    const clock = new ServerClock(
      () => monotonic,
      () => local,
    );
    clock.observe(date(T0), 1000);
    expect(clock.now()).toBe(T0 + 500);
    monotonic += 60_000;
    expect(clock.now()).toBe(T0 + 60_500);
  });

  it('is narrowed by the answers of a while', () => {
    let monotonic = 0;
    const clock = new ServerClock(() => monotonic);
    // True server time is T0 + 900 at the beginning.
    clock.observe(date(T0), 0);
    monotonic = 100;
    clock.observe(date(T0 + 1000), 100);
    expect(clock.now()).toBe(T0 + 1050);
  });

  it('starts anew when the server itself was set', () => {
    let monotonic = 0;
    const clock = new ServerClock(() => monotonic);
    clock.observe(date(T0), 0);
    monotonic = 10;
    clock.observe(date(T0 + 3_600_000), 10);
    expect(clock.now()).toBe(T0 + 3_600_500);
  });

  it('passes over an answer without a date', () => {
    const clock = new ServerClock(
      () => 0,
      () => 77,
    );
    clock.observe(undefined, 0);
    clock.observe('yesterday', 0);
    expect(clock.now()).toBe(77);
  });
});
