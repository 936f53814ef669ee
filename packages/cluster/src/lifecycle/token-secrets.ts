import { deleteObject } from "../objects/delete-object.ts";
import { updateObject } from "../objects/update-object.ts";
import { objectAt, textAt } from "../schema/json.ts";
import type { TokenIssuer } from "../security/tokens.ts";
import type { Entry } from "../store/entry.ts";
import type { LifecycleOptions } from "./garbage-collector.ts";
import { openWorklist } from "./worklist.ts";

const type = "/secrets";
const tokenType = "kubernetes.io/service-account-token";
const manager = "kube-controller-manager";
const accountName = "kubernetes.io/service-account.name";
const accountUid = "kubernetes.io/service-account.uid";

interface TokenSecretOptions extends LifecycleOptions {
  tokens: TokenIssuer;
  caCertificate: string;
}

/** Fills Secrets that ask for the token of an account (pkg/controller/serviceaccount tokens_controller). Keys are "namespace/name". */
export function startTokenSecrets(options: TokenSecretOptions): void {
  const { world, signal, log } = options;
  const { store, clock } = world;
  const worklist = openWorklist({
    work: (key) => settle(options, key),
    failed: (key, error) =>
      log({ level: "warn", message: `token Secret ${key} could not be settled`, error: String(error) }),
    clock,
    signal,
  });
  const add = (entry: Entry): void => {
    if (entry.text.includes(tokenType)) worklist.add(`${entry.namespace}/${entry.name}`);
  };
  for (const entry of store.list(type)) add(entry);
  const ends = [
    store.subscribe(type, ({ kind, entry }) => {
      if (kind !== "DELETED") add(entry);
    }),
    store.subscribe("/serviceaccounts", ({ kind, entry }) => {
      if (kind !== "MODIFIED") for (const secret of store.list(type, entry.namespace)) add(secret);
    }),
  ];
  signal.addEventListener("abort", () => ends.map((end) => end()), { once: true });
}

function settle({ world, tokens, caCertificate }: TokenSecretOptions, key: string): void {
  const [namespace = "", name = ""] = key.split("/");
  const live = world.store.get(type, namespace, name);
  const served = world.registry.byType(type);
  if (live === undefined || served === undefined || live.object.type !== tokenType) return;
  const { annotations = {} } = live.object.metadata;
  const account = world.store.get("/serviceaccounts", namespace, annotations[accountName] ?? "");
  const uid = annotations[accountUid];
  if (account === undefined || (uid !== undefined && uid !== account.uid)) {
    deleteObject(world, { served, live }, { dryRun: false });
    return;
  }
  const data = objectAt(live.object, "data") ?? {};
  const kept = textAt(data, "token");
  const filled = {
    ...data,
    "ca.crt": base64(caCertificate),
    namespace: textAt(data, "namespace") || base64(namespace),
    token: kept || base64(tokens.issueForSecret(account.object, live.object)),
  };
  if (uid !== undefined && Object.entries(filled).every(([field, value]) => data[field] === value)) return;
  const metadata = { ...live.object.metadata, annotations: { ...annotations, [accountUid]: account.uid } };
  const object = { ...live.object, metadata, data: filled };
  updateObject(world, { served, live, object }, { dryRun: false, manager, subresource: "" });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
