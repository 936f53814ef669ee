import { readFile } from "node:fs/promises";
import type { Clock } from "@capstan/flow";
import { isRecord, parseJson } from "@capstan/formats";
import { callStore } from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, SecretData } from "./backend.ts";
import { type KeeperConfig, openSealed, readKeeperConfig, sealRequest } from "./keeper-session.ts";

interface Needs {
  clock: Clock;
  signal: AbortSignal;
}

/** Keeper Secrets Manager: the path is a record's id, its keys the fields' labels, or their types (pkg/backends/keepersecretsmanager.go). */
export async function keeperBackend(settings: Settings, { clock }: { clock: Clock }): Promise<Backend> {
  const config = readKeeperConfig(await readFile(settings.need("AVP_KEEPER_CONFIG_PATH"), "utf8"));
  return {
    async read({ path }, signal) {
      if (!/^[\w-]{16,32}$/.test(path)) throw new Error("the path is no id of a record");
      const answer = await ask(config, { requestedRecords: [path] }, { clock, signal });
      const data = findRecord(answer, path, config.appKey);
      return data && valuesOf(data);
    },
  };
}

async function ask(
  config: KeeperConfig,
  asked: Readonly<Record<string, unknown>>,
  needs: Needs,
): Promise<Record<string, unknown>> {
  const base = config.hostname.includes("://") ? config.hostname : `https://${config.hostname}`;
  const url = `${base}/api/rest/sm/v1/get_secret`;
  let keyId = config.serverKeyId;
  for (let attempt = 0; ; attempt += 1) {
    const { headers, bytes, key } = sealRequest(config, keyId, asked);
    const answer = await callStore(url, { method: "POST", headers, bytes, ...needs });
    if (answer.status === 200) return readObject(openSealed(answer.bytes, key));
    const problem = readObject(answer.bytes);
    const code = String(problem.result_code ?? problem.error ?? "");
    // The server wants another of its keys.
    if (code !== "key" || attempt > 0) throw new Error(`Keeper answers ${answer.status} ${code}`.trim());
    keyId = String(problem.key_id);
  }
}

/** Keeper's SDKs, keeper.ts fetchAndDecryptSecrets: a record's key is wrapped by its folder's, or the application's. */
function findRecord(
  { records, folders }: Record<string, unknown>,
  id: string,
  appKey: Buffer,
): Record<string, unknown> | undefined {
  const shelves = [
    { records, key: () => appKey },
    ...listOf(folders).map((folder) => shelfOf(folder, appKey)),
  ];
  for (const shelf of shelves) {
    const record = listOf(shelf.records).find(({ recordUid }) => recordUid === id);
    if (!record) continue;
    const wrapping = shelf.key();
    const key = typeof record.recordKey === "string" ? openText(record.recordKey, wrapping) : wrapping;
    return readObject(openText(record.data, key));
  }
  return undefined;
}

function shelfOf({ records, folderKey }: Record<string, unknown>, appKey: Buffer) {
  return { records, key: () => openText(folderKey, appKey) };
}

/** Fields with one value; those that a record has by its type count before those added to it. */
function valuesOf(data: Record<string, unknown>): SecretData {
  const fields = [...listOf(data.custom), ...listOf(data.fields)];
  return Object.fromEntries(
    fields.flatMap(({ type, label, value }) => {
      const [only, ...more] = Array.isArray(value) ? value : [];
      const name = label || type;
      return name === undefined || only === undefined || more.length > 0 ? [] : [[String(name), only]];
    }),
  );
}

function openText(text: unknown, key: Buffer): Buffer {
  return openSealed(Buffer.from(String(text), "base64"), key);
}

function readObject(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = parseJson(bytes.toString());
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
