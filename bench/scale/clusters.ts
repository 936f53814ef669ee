/**
 * `node bench/scale/clusters.ts COUNT`: a process of that many embedded clusters, each with an address, a store and an
 * authority of its own. Prints what reaches them as one line of JSON, and serves until it is ended.
 */

import { wholeNumber } from "@capstan/testkit/program-flags";
import { startListeningCluster } from "@capstan/testkit/worlds";

/** What a cluster Secret says of one. */
export interface Destination {
  readonly server: string;
  readonly token: string;
  /** PEM text. */
  readonly authority: string;
}

const count = wholeNumber("COUNT", process.argv[2] ?? "1");
await using opened = new AsyncDisposableStack();
const destinations: Destination[] = [];
for (let index = 0; index < count; index += 1) {
  const { url, token, authority } = opened.use(await startListeningCluster());
  destinations.push({ server: url, token, authority });
}
console.log(JSON.stringify(destinations));
await new Promise((resolve) => process.once("SIGTERM", resolve));
