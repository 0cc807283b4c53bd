import { startCluster } from './cluster.js';

// Holds a bed until it is killed; a test kills it to see what is left.
const { directory } = await startCluster({ apiServerOnly: true });
process.stdout.write(`${directory}\n`);
