// Started by cluster-process.ts: the cluster on the data folder of its first argument, until it is killed.
import { startCluster } from "../../start-cluster.ts";

const log = (entry: object) => process.stderr.write(`${JSON.stringify(entry)}\n`);
const cluster = await startCluster({ dataDir: process.argv[2] ?? "", log });
const { port } = await cluster.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`${JSON.stringify({ port, token: cluster.adminToken })}\n`);
process.once("SIGTERM", () => void cluster.close());
