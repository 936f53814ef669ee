import { type Clock, longText, ownTurn } from "@capstan/flow";
import { annotationKeys, foldStringData, type Manifest } from "@capstan/model";
import type { WriteOptions } from "../client/kube-client.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../client/kube-error.ts";
import type { TenantClient } from "../tenant/tenant-client.ts";
import { readLastApplied, withLastApplied } from "./last-applied.ts";
import { releaseOwnership } from "./migrate-ownership.ts";
import { refOf } from "./object-names.ts";
import { jsonMergePatch, strategicMergePatch } from "./three-way-patch.ts";

const attempts = 5;
const pauseMs = 200;

interface Needs {
  client: TenantClient;
  clock: Clock;
}

/**
 * Applies an object as `kubectl apply` does: what git said last time stands in an annotation of the live object; what
 * it says no more is taken away, what others wrote stays (kubectl pkg/cmd/apply/patcher.go). Kinds of the API server
 * itself are merged strategically, with the keys that its OpenAPI publishes, those of CRDs as plain JSON.
 */
export async function applyClientSide(
  { client, clock }: Needs,
  object: Manifest,
  options: WriteOptions,
): Promise<Manifest> {
  const { signal } = options;
  const wanted = withLastApplied(object);
  for (let attempt = 1; ; attempt += 1) {
    const live = await client.get(refOf(object), signal);
    try {
      return live ? await patchLive(client, { wanted, live }, options) : await client.create(wanted, options);
    } catch (error) {
      const isLate = isConflict(error) || isAlreadyExists(error) || (live !== undefined && isNotFound(error));
      if (!isLate || attempt === attempts) throw error;
      await clock.sleep(pauseMs * attempt, signal);
    }
  }
}

async function patchLive(
  client: TenantClient,
  { wanted, live }: { wanted: Manifest; live: Manifest },
  options: WriteOptions,
): Promise<Manifest> {
  const type = await client.patchTypes.of(wanted, options.signal);
  const wantedText = wanted.metadata.annotations?.[annotationKeys.lastApplied] ?? "";
  // Each of the three versions may be as large as the server takes: others have a turn between two pieces.
  const ownTurnIfLong = async () => wantedText.length > longText && (await ownTurn(options.signal));
  await ownTurnIfLong();
  const original = readLastApplied(live);
  await ownTurnIfLong();
  const isSecret = wanted.kind === "Secret" && wanted.apiVersion === "v1";
  // The live object has no stringData, so that what leaves it would stay in data.
  const folded = (object: Manifest): Manifest => (isSecret ? foldStringData(object) : object);
  const ways = {
    original: original && { ...folded(original) },
    wanted: { ...folded(wanted) },
    live: { ...live },
  };
  const body = type ? strategicMergePatch(type, ways) : jsonMergePatch(ways);
  const isSame = Object.keys(body).length === 0;
  const patched = isSame
    ? live
    : await client.patch(refOf(wanted), { type: type ? "strategic" : "merge", body }, options);
  return options.dryRun ? patched : releaseOwnership(client, patched, options.signal);
}
