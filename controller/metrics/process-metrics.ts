import { Gauge, type Registry } from 'prom-client';

/** The usual process metrics, read when they are scraped. prom-client's own set also keeps a timer running. */
export function declareProcessMetrics(registry: Registry): void {
  const startedAt = Date.now() / 1000 - process.uptime();
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect(): void {
        this.set(read());
      },
    });
  gauge('process_resident_memory_bytes', 'Resident memory in bytes.', () => process.memoryUsage.rss());
  gauge('process_start_time_seconds', 'Start of the process in seconds since 1970.', () => startedAt);
  gauge('process_cpu_seconds_total', 'CPU time used, in seconds.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
}
