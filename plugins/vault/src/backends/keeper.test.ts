import assert from "node:assert/strict";
import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHash,
  generateKeyPairSync,
  randomBytes,
  verify,
} from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Answer, type Call, startStore } from "@capstan/secret-services/test-store";
import { reader } from "./test-reader.ts";

const folder = await mkdtemp(join(tmpdir(), "capstan-keeper-"));
after(() => rm(folder, { recursive: true, force: true }));

const seal = (plain: Buffer, key: Buffer): Buffer => {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};

const open = (sealed: Buffer, key: Buffer): Buffer => {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
};

const record = (uid: string, wrapping: Buffer, fields: object) => {
  const key = randomBytes(32);
  return {
    recordUid: uid,
    recordKey: seal(key, wrapping).toString("base64"),
    data: seal(Buffer.from(JSON.stringify({ title: uid, type: "login", ...fields })), key).toString("base64"),
  };
};

/** Keeper's side as its published SDKs expect it: it has the server's private key and the client's public one. */
function keeperWorld() {
  const server = createECDH("prime256v1");
  server.generateKeys();
  const client = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const [appKey, folderKey] = [randomBytes(32), randomBytes(32)];
  const records = [
    record("AAAAAAAAAAAAAAAAAAAAAA", appKey, {
      fields: [
        { type: "login", value: ["ada"] },
        { type: "password", value: ["top"] },
        { type: "url", value: [] },
        { type: "phone", value: ["1", "2"] },
      ],
      custom: [
        { type: "text", label: "api token", value: ["t-1"] },
        { type: "password", value: ["hidden by the standard field"] },
      ],
    }),
  ];
  const inFolder = record("BBBBBBBBBBBBBBBBBBBBBB", folderKey, {
    fields: [{ type: "password", value: ["in a folder"] }],
  });
  const folders = [
    { folderUid: "F", folderKey: seal(folderKey, appKey).toString("base64"), records: [inFolder] },
  ];
  const answer = ({ method, url, headers, bytes }: Call): Answer => {
    if (method !== "POST" || url.pathname !== "/api/rest/sm/v1/get_secret") return [404, {}];
    if (headers.publickeyid !== "10") return [401, { error: "key", key_id: 10 }];
    const wrapped = Buffer.from(String(headers.transmissionkey), "base64");
    const signature = Buffer.from(String(headers.authorization).replace("Signature ", ""), "base64");
    if (!verify("sha256", Buffer.concat([wrapped, bytes]), client.publicKey, signature))
      return [403, { result_code: "access_denied", message: "Signature is invalid" }];
    const secret = createHash("sha256")
      .update(server.computeSecret(wrapped.subarray(0, 65)))
      .digest();
    const key = open(wrapped.subarray(65), secret);
    const asked = JSON.parse(open(bytes, key).toString());
    if (asked.clientId !== "client" || !/^m\w\d/.test(asked.clientVersion))
      return [403, { error: "invalid" }];
    const wanted = (one: { recordUid: string }) => asked.requestedRecords.includes(one.recordUid);
    const found = {
      records: records.filter(wanted),
      folders: folders.map((one) => ({ ...one, records: one.records.filter(wanted) })),
    };
    return [200, seal(Buffer.from(JSON.stringify(found)), key)];
  };
  const config = {
    clientId: "client",
    privateKey: client.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
    appKey: appKey.toString("base64"),
    serverPublicKey: server.getPublicKey().toString("base64url"),
    serverPublicKeyId: "10",
  };
  return { answer, config };
}

async function readerOf(config: object, isBase64 = false) {
  const file = join(folder, "ksm.json");
  const text = JSON.stringify(config);
  await writeFile(file, isBase64 ? Buffer.from(text).toString("base64") : text);
  return reader({ AVP_TYPE: "keepersecretsmanager", AVP_KEEPER_CONFIG_PATH: file });
}

test("Keeper: fields of a record by label or type, of the application's or of a folder", async () => {
  const { answer, config } = keeperWorld();
  await using store = await startStore(answer);
  const read = await readerOf({ ...config, hostname: store.address });
  assert.equal(await read("AAAAAAAAAAAAAAAAAAAAAA", "login"), "ada");
  assert.equal(await read("AAAAAAAAAAAAAAAAAAAAAA", "password"), "top");
  assert.equal(await read("AAAAAAAAAAAAAAAAAAAAAA", "api token"), "t-1");
  assert.equal(await read("AAAAAAAAAAAAAAAAAAAAAA", "phone"), undefined, "two values are none");
  assert.equal(await read("BBBBBBBBBBBBBBBBBBBBBB", "password"), "in a folder");
  await assert.rejects(read("CCCCCCCCCCCCCCCCCCCCCC", "password"), /there is no such secret/);
  await assert.rejects(read("../x", "password"), /no id of a record/);
  const encoded = await readerOf({ ...config, hostname: store.address }, true);
  assert.equal(await encoded("AAAAAAAAAAAAAAAAAAAAAA", "password"), "top");
});

test("Keeper: another key of the server when it asks for one, and what it refuses", async () => {
  const { answer, config } = keeperWorld();
  await using store = await startStore(answer);
  const other = await readerOf({ ...config, hostname: store.address, serverPublicKeyId: "7" });
  assert.equal(await other("AAAAAAAAAAAAAAAAAAAAAA", "password"), "top");
  const { privateKey } = keeperWorld().config;
  const stranger = await readerOf({ ...config, hostname: store.address, privateKey });
  await assert.rejects(stranger("AAAAAAAAAAAAAAAAAAAAAA", "password"), /Keeper answers 403 access_denied/);
  const keyless = await readerOf({
    ...config,
    hostname: store.address,
    appKey: randomBytes(32).toString("base64"),
  });
  await assert.rejects(keyless("AAAAAAAAAAAAAAAAAAAAAA", "password"), /cannot be decrypted/);
  const { appKey: _none, ...unused } = config;
  await assert.rejects(
    readerOf({ ...unused, hostname: store.address, clientKey: "once" }),
    /has not been used yet: run `ksm`/,
  );
  await assert.rejects(readerOf({}), /needs hostname, clientId, privateKey and appKey/);
});
