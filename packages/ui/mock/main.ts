import { parseArgs } from "node:util";
import { startMock } from "./server.ts";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, apps: { type: "string", default: "24" } },
});

await using server = await startMock({
  port: Number(values.port),
  plenty: Number(values.apps),
  dist: `${import.meta.dirname}/../dist`,
});
console.log(server.url);
await new Promise((resolve) => {
  process.once("SIGINT", resolve);
  process.once("SIGTERM", resolve);
});
