import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  constants,
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { systemClock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { parseYaml } from "@capstan/model";
import { type Answer, type Call, isSigned, startStore } from "@capstan/secret-services/test-store";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { decryptFile } from "../decrypt-file.ts";
import { readMetadata } from "../metadata.ts";
import { keyServices } from "./key-services.ts";

const run = promisify(execFile);
const sops = join(import.meta.dirname, "../../../../testenv/bin/sops");
const skip = existsSync(sops) ? false : "sops is not built: npm run testenv sops";
const folder = await mkdtemp(join(tmpdir(), "capstan-clouds-"));
after(() => rm(folder, { recursive: true, force: true }));
const file = join(folder, "a.yaml");

async function runSops(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { PATH } = process.env;
  return (await run(sops, [...args, file], { env: { PATH, HOME: folder, ...env }, timeout: 30_000 })).stdout;
}

async function encrypt(flags: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  await writeFile(file, "password: secret\n");
  await runSops(["encrypt", "--in-place", ...flags], env);
  return readFile(file, "utf8");
}

async function decrypt(text: string, env: NodeJS.ProcessEnv): Promise<string> {
  const signal = AbortSignal.timeout(100_000);
  const services = keyServices(env, systemClock);
  return (await decryptFile(text, { file: "a.yaml", format: "yaml", services, signal })).toString();
}

const clear = 'password: "secret"\n';
const arn = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";

/** AWS KMS's Encrypt and Decrypt and STS's AssumeRole, from their published API references: signatures are checked. */
function startAws() {
  const key = randomBytes(32);
  const context = (given: unknown) => Buffer.from(JSON.stringify(given ?? {}));
  const seal = (plain: Buffer, aad: Buffer) => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aad);
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  };
  const open = (sealed: Buffer, aad: Buffer) => {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12)).setAAD(aad);
    decipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  };
  return startStore((call): Answer => {
    if (call.text.startsWith("Action=AssumeRole")) {
      const isRight =
        isSigned(call, "top") && new URLSearchParams(call.text).get("RoleArn")?.endsWith("/deploy");
      if (!isRight) return [403, { Error: { Code: "AccessDenied" } }];
      const Credentials = { AccessKeyId: "r", SecretAccessKey: "of-the-role", SessionToken: "t" };
      return [200, { AssumeRoleResponse: { AssumeRoleResult: { Credentials } } }];
    }
    const isRole = call.headers["x-amz-security-token"] === "t";
    if (!isSigned(call, isRole ? "of-the-role" : "top"))
      return [403, { __type: "InvalidSignatureException" }];
    const asked = JSON.parse(call.text);
    if (asked.KeyId !== arn) return [400, { __type: "NotFoundException" }];
    if (call.headers["x-amz-target"] === "TrentService.Encrypt") {
      const blob = seal(Buffer.from(asked.Plaintext, "base64"), context(asked.EncryptionContext));
      return [200, { KeyId: arn, CiphertextBlob: blob.toString("base64") }];
    }
    try {
      const plain = open(Buffer.from(asked.CiphertextBlob, "base64"), context(asked.EncryptionContext));
      return [200, { KeyId: arn, Plaintext: plain.toString("base64") }];
    } catch {
      return [400, { __type: "InvalidCiphertextException" }];
    }
  });
}

test("AWS KMS: what the real sops had wrapped, with its context", { skip }, async () => {
  await using aws = await startAws();
  const env = {
    AWS_ENDPOINT_URL_KMS: aws.address,
    AWS_ENDPOINT_URL_STS: aws.address,
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "top",
    AWS_EC2_METADATA_DISABLED: "true",
  };
  const text = await encrypt(["--kms", arn, "--encryption-context", "app:web"], env);
  assert.equal(await runSops(["decrypt"], env), "password: secret\n");
  assert.equal(await decrypt(text, env), clear);
  const inRole = text.replace(/(\n( *)- arn: .*)/, "$1\n$2  role: arn:aws:iam::111122223333:role/deploy");
  assert.notEqual(inRole, text);
  assert.equal(await decrypt(inRole, env), clear);
  await assert.rejects(
    decrypt(text.replace("app: web", "app: other"), env),
    /kms arn:aws:kms:.*: AWS answers 400 InvalidCiphertextException/,
  );
  await assert.rejects(
    decrypt(text, { ...env, AWS_SECRET_ACCESS_KEY: "other" }),
    /403 InvalidSignatureException/,
  );
  const before = aws.asked.length;
  await assert.rejects(decrypt(text, {}), /AWS_ACCESS_KEY_ID .*is not set, and it is not in SOPS_KMS_ALLOW/);
  const others = { ...env, SOPS_KMS_ALLOWLIST: "arn:aws:kms:eu-west-1:999900001111" };
  await assert.rejects(decrypt(text, others), /not in SOPS_KMS_ALLOWLIST, so nobody is asked/);
  assert.equal(aws.asked.length, before);
  const listed = { ...env, SOPS_KMS_ALLOWLIST: "projects/p, arn:aws:kms:eu-west-1:111122223333" };
  assert.equal(await decrypt(text, listed), clear);
  const elsewhere = text.replace("kms:eu-west-1:", "kms:x.evil.example/:");
  await assert.rejects(decrypt(elsewhere, env), /its ARN is none of a key/);
});

const keyId = "projects/p/locations/global/keyRings/r/cryptoKeys/k";

/** Cloud KMS's REST encrypt and decrypt, from its published reference. */
function startGoogle() {
  const answer = ({ method, url, headers, text }: Call): Answer => {
    if (headers.authorization !== "Bearer ya29") return [401, { error: { code: 401 } }];
    const [, id, action] = /^\/v1\/(.+):(encrypt|decrypt)$/.exec(url.pathname) ?? [];
    if (method !== "POST" || id !== keyId) return [404, { error: { code: 404 } }];
    const given = JSON.parse(text);
    const flip = (coded: string) =>
      Buffer.from(Buffer.from(coded, "base64").map((byte) => byte ^ 0x5a)).toString("base64");
    return action === "encrypt"
      ? [200, { name: keyId, ciphertext: flip(given.plaintext) }]
      : [200, { plaintext: flip(given.ciphertext) }];
  };
  return startStore(answer);
}

test("Google Cloud KMS: what the real sops had wrapped", { skip }, async () => {
  await using google = await startGoogle();
  const env = {
    SOPS_GCP_KMS_ENDPOINT: google.address,
    SOPS_GCP_KMS_CLIENT_TYPE: "rest",
    GOOGLE_OAUTH_ACCESS_TOKEN: "ya29",
  };
  const text = await encrypt(["--gcp-kms", keyId], env);
  assert.equal(await decrypt(text, env), clear);
  const { GOOGLE_OAUTH_ACCESS_TOKEN: _token, ...without } = env;
  const before = google.asked.length;
  await assert.rejects(decrypt(text, without), /GOOGLE_OAUTH_ACCESS_TOKEN .*is not set/);
  assert.equal(google.asked.length, before);
  await assert.rejects(decrypt(text, { ...env, GOOGLE_OAUTH_ACCESS_TOKEN: "no" }), /Google answers 401/);
  await assert.rejects(
    decrypt(text.replace("cryptoKeys/k", "cryptoKeys/k?x=/../"), env),
    /its resource id is none of a key/,
  );
});

/** The file with its data key wrapped for one more kind of key: sops' entries are not part of its MAC. */
async function rewrapped(text: string, identity: string, wrap: (dataKey: Buffer) => object): Promise<string> {
  const document = parseYaml(text);
  if (!isRecord(document) || !isRecord(document.sops)) throw new Error("not what sops wrote");
  const [[key] = []] = readMetadata(document.sops).groups;
  const dataKey =
    key && (await keyServices({ SOPS_AGE_KEY: identity }, systemClock).age?.(key, AbortSignal.any([])));
  const { age: _age, ...rest } = document.sops;
  return dumpYaml({ ...document, sops: { ...rest, azure_kv: [wrap(dataKey ?? Buffer.alloc(0))] } });
}

test("Azure Key Vault, only a vault that is allowed", { skip }, async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
  // The REST reference of Azure Key Vault's decrypt; sops itself asks over TLS only, so its own call is not made.
  await using azure = await startStore(({ method, url, headers, text }) => {
    if (url.pathname === "/tenant/oauth2/v2.0/token") {
      const isRight = new URLSearchParams(text).get("client_secret") === "top";
      return isRight ? [200, { access_token: "eyJ" }] : [401, {}];
    }
    const { alg, value } = JSON.parse(text);
    const isRight =
      method === "POST" && url.searchParams.has("api-version") && headers.authorization === "Bearer eyJ";
    if (!isRight || alg !== "RSA-OAEP-256") return [401, {}];
    if (url.pathname !== "/keys/own/v1/decrypt") return [404, {}];
    const plain = privateDecrypt({ key: privateKey, ...padding }, Buffer.from(value, "base64url"));
    return [200, { kid: "own", value: plain.toString("base64url") }];
  });
  const identity = await generateX25519Identity();
  const aged = await encrypt(["--age", await identityToRecipient(identity)], {});
  const text = await rewrapped(aged, identity, (dataKey) => ({
    vault_url: azure.address,
    name: "own",
    version: "v1",
    enc: publicEncrypt({ key: publicKey, ...padding }, dataKey).toString("base64url"),
  }));
  const env = {
    AZURE_AUTHORITY_HOST: azure.address,
    AZURE_TENANT_ID: "tenant",
    AZURE_CLIENT_ID: "app",
    AZURE_CLIENT_SECRET: "top",
  };
  await assert.rejects(decrypt(text, env), /azure_kv http.* own: it is not in SOPS_KMS_ALLOWLIST/);
  await assert.rejects(
    decrypt(text, { ...env, SOPS_KMS_ALLOWLIST: azure.address.slice(0, -1) }),
    /not in SOPS_KMS_ALLOWLIST/,
  );
  assert.deepEqual(azure.asked, []);
  assert.equal(await decrypt(text, { ...env, SOPS_KMS_ALLOWLIST: azure.address }), clear);
  const wrong = { ...env, SOPS_KMS_ALLOWLIST: "all", AZURE_CLIENT_SECRET: "other" };
  await assert.rejects(decrypt(text, wrong), /Azure answers 401 to the request for a token/);
});

test("Huawei's keys are said not to be usable", { skip }, async () => {
  const identity = await generateX25519Identity();
  const aged = await encrypt(["--age", await identityToRecipient(identity)], {});
  const document = parseYaml(aged);
  if (!isRecord(document) || !isRecord(document.sops)) throw new Error("not what sops wrote");
  const { age: _age, ...rest } = document.sops;
  const text = dumpYaml({ ...document, sops: { ...rest, hckms: [{ key_id: "cn:1", enc: "AAAA" }] } });
  await assert.rejects(decrypt(text, {}), /hckms cn:1: keys of this kind cannot be used here/);
});
