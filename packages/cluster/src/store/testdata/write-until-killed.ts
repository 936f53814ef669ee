// Started by store.test.ts: writes without end, and prints each revision that is stored.
import { Store } from "../store.ts";

const store = new Store({ file: process.argv[2] ?? "", onListenerError: (error) => console.error(error) });
for (let index = 0; ; index += 1) {
  const metadata = { name: `object-${store.revision}`, namespace: "default", uid: `uid-${store.revision}` };
  const entry = store.put("/configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata }, undefined);
  const second = index % 3 === 2 ? store.remove(entry) : entry;
  if ((await store.flushed()) === undefined) process.stdout.write(`${second.revision} ${entry.name} ${second === entry}\n`);
}
