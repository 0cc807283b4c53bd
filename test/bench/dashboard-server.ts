import { gatewayStatus, sayJson, startDashboard } from '../support/fake-dashboard.js';

// A dashboard in a process of its own, so that what it costs is not counted. Any line on its standard input changes what
// it says.
const dashboard = await startDashboard(9119);
dashboard.answer = sayJson(gatewayStatus({ discord: 'connected', telegram: 'connected' }));
process.stdout.write(`${dashboard.address}\n`);
process.stdin.on('data', () => {
  dashboard.answer = sayJson(gatewayStatus({ discord: 'connected', telegram: 'retrying' }));
});
process.stdin.on('end', () => {
  process.exit();
});
