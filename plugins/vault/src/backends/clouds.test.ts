import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isSigned, startStore } from "@capstan/secret-services/test-store";
import { reader } from "./test-reader.ts";

test("AWS Secrets Manager: signed calls, versions, binary, what is missing", async () => {
  await using store = await startStore((call) => {
    if (!isSigned(call, "top")) return [403, { __type: "InvalidSignatureException" }];
    if (call.headers["x-amz-target"] !== "secretsmanager.GetSecretValue") return [400, { __type: "Unknown" }];
    const { SecretId, VersionStage, VersionId } = JSON.parse(call.text);
    if (SecretId === "blob") return [200, { SecretBinary: Buffer.from("raw").toString("base64") }];
    if (SecretId === "text") return [200, { SecretString: "no object" }];
    if (SecretId !== "web") return [400, { __type: "com.amazonaws#ResourceNotFoundException" }];
    const version = VersionStage ?? VersionId ?? "now";
    return [200, { SecretString: JSON.stringify({ password: version, port: 80 }) }];
  });
  const env = { AVP_TYPE: "awssecretsmanager", AWS_ENDPOINT_URL: store.address, AWS_ACCESS_KEY_ID: "id" };
  const read = await reader({ ...env, AWS_SECRET_ACCESS_KEY: "top" });
  assert.equal(await read("web", "password"), "now");
  assert.equal(await read("web", "port"), 80);
  assert.equal(await read("web", "password", { version: "AWSPREVIOUS" }), "AWSPREVIOUS");
  assert.equal(await read("web", "password", { version: "8f2a" }), "8f2a");
  assert.deepEqual(await read("blob", "SecretBinary"), Buffer.from("raw"));
  await assert.rejects(read("none", "password"), /there is no such secret/);
  await assert.rejects(read("text", "password"), /no JSON object, so it has no keys/);
  const wrong = await reader({ ...env, AWS_SECRET_ACCESS_KEY: "other" });
  await assert.rejects(wrong("web", "password"), /AWS answers 403 InvalidSignatureException/);
});

test("Google Secret Manager: a key file's signed statement for a token", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await using store = await startStore(({ url, headers, text }) => {
    if (url.pathname === "/token") {
      const [head = "", claims = "", signature = ""] = String(JSON.parse(text).assertion).split(".");
      const key = createPublicKey(publicKey.export({ type: "spki", format: "pem" }));
      const isOwn = verify(
        "sha256",
        Buffer.from(`${head}.${claims}`),
        key,
        Buffer.from(signature, "base64url"),
      );
      const { iss, aud } = JSON.parse(Buffer.from(claims, "base64url").toString());
      const isRight = isOwn && iss === "web@example.com" && aud === `${store.address}/token`;
      return isRight ? [200, { access_token: "ya29" }] : [401, {}];
    }
    if (headers.authorization !== "Bearer ya29") return [401, {}];
    const version = /^\/v1\/projects\/p\/secrets\/web\/versions\/(\w+):access$/.exec(url.pathname)?.[1];
    if (version === undefined) return [404, {}];
    return [200, { payload: { data: Buffer.from(version).toString("base64") } }];
  });
  const folder = await mkdtemp(join(tmpdir(), "capstan-gcp-"));
  const file = join(folder, "key.json");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  const key = { type: "service_account", client_email: "web@example.com", private_key: pem };
  await writeFile(file, JSON.stringify({ ...key, private_key_id: "1", token_uri: `${store.address}/token` }));
  try {
    const read = await reader({
      AVP_TYPE: "gcpsecretmanager",
      GOOGLE_SECRET_MANAGER_ENDPOINT: store.address,
      GOOGLE_APPLICATION_CREDENTIALS: file,
    });
    assert.equal(await read("projects/p/secrets/web", "web"), "latest");
    assert.equal(await read("projects/p/secrets/web", "web", { version: "3" }), "3");
    await assert.rejects(read("projects/p/secrets/none", "none"), /there is no such secret/);
    await assert.rejects(read("web", "web"), /the path is no "projects\/PROJECT\/secrets\/SECRET"/);
    assert.equal(store.asked.filter((one) => one === "POST /token").length, 1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("Azure Key Vault: one secret by name, all that are enabled for an annotation", async () => {
  await using store = await startStore(({ url, headers, text }) => {
    if (url.pathname === "/tenant/oauth2/v2.0/token") {
      const form = new URLSearchParams(text);
      const isRight = form.get("client_id") === "app" && form.get("client_secret") === "top";
      return isRight ? [200, { access_token: "eyJ" }] : [401, {}];
    }
    if (headers.authorization !== "Bearer eyJ" || url.searchParams.get("api-version") === null)
      return [401, {}];
    if (url.pathname === "/secrets" && !url.searchParams.has("page")) {
      const value = [{ id: `${store.address}/secrets/one`, attributes: { enabled: true } }];
      return [200, { value, nextLink: `${store.address}/secrets?page=2&api-version=7.4` }];
    }
    if (url.pathname === "/secrets")
      return [200, { value: [{ id: `${store.address}/secrets/off`, attributes: { enabled: false } }] }];
    const [, , name, version = "now"] = url.pathname.split("/");
    return name === "one" || name === "two" ? [200, { value: `${name} ${version}` }] : [404, {}];
  });
  const read = await reader({
    AVP_TYPE: "azurekeyvault",
    AZURE_KEY_VAULT_ENDPOINT: store.address,
    AZURE_AUTHORITY_HOST: store.address,
    AZURE_TENANT_ID: "tenant",
    AZURE_CLIENT_ID: "app",
    AZURE_CLIENT_SECRET: "top",
  });
  assert.equal(await read("web", "two"), "two now");
  assert.equal(await read("web", "two", { version: "v1" }), "two v1");
  assert.equal(await read("web", "one", { isWhole: true }), "one now");
  assert.equal(await read("web", "off", { isWhole: true }), undefined);
  await assert.rejects(read("web", "none"), /no such secret in the key vault/);
  await assert.rejects(read("not/a/vault", "two"), /no name of a key vault/);
});

test("1Password Connect: fields of an item by label, vault and item by id or title", async () => {
  const [v, i] = ["v".repeat(26), "i".repeat(26)];
  await using store = await startStore(({ url, headers }) => {
    if (headers.authorization !== "Bearer op") return [401, {}];
    const filter = url.searchParams.get("filter");
    if (url.pathname === "/v1/vaults") return [200, filter === 'title eq "team"' ? [{ id: v }] : []];
    if (url.pathname === `/v1/vaults/${v}/items`) {
      if (filter === 'title eq "twice"') return [200, [{ id: i }, { id: i }]];
      return [200, filter === 'title eq "web/db"' ? [{ id: i }] : []];
    }
    const fields = [{ label: "password", value: "one" }, { label: "empty" }];
    return url.pathname === `/v1/vaults/${v}/items/${i}` ? [200, { fields }] : [404, {}];
  });
  const env = { AVP_TYPE: "1passwordconnect", OP_CONNECT_HOST: store.address, OP_CONNECT_TOKEN: "op" };
  const read = await reader(env);
  assert.equal(await read(`vaults/${v}/items/${i}`, "password"), "one");
  assert.equal(store.asked.length, 1);
  assert.equal(await read(`vaults/team/items/${i}`, "password"), "one");
  assert.equal(await read("vaults/team/items/web/db", "password"), "one");
  assert.equal(await read("vaults/team/items/web/db", "empty"), "");
  await assert.rejects(read("vaults/team/items/none", "password"), /has 0 items with this title or id/);
  await assert.rejects(read("vaults/team/items/twice", "password"), /has 2 items with this title or id/);
  await assert.rejects(read("vaults/nobody/items/web/db", "password"), /has 0 vaults with this title or id/);
  await assert.rejects(read('vaults/team/items/a" or 1', "password"), /whose title has a quote/);
  await assert.rejects(read("v/i", "password"), /no "vaults\/VAULT\/items\/ITEM"/);
  const wrong = await reader({ ...env, OP_CONNECT_TOKEN: "other" });
  await assert.rejects(wrong(`vaults/${v}/items/${i}`, "password"), /answers 401/);
});

test("Delinea Secret Server: items of a number by field name and slug", async () => {
  await using store = await startStore(({ url, headers, text }) => {
    if (url.pathname === "/oauth2/token") {
      const form = new URLSearchParams(text);
      const isRight = form.get("username") === "ada" && form.get("password") === "top";
      return isRight ? [200, { access_token: "t" }] : [400, {}];
    }
    if (headers.authorization !== "Bearer t") return [401, {}];
    const items = [{ fieldName: "Pass Word", slug: "pass-word", itemValue: "one" }];
    return url.pathname === "/api/v1/secrets/7" ? [200, { items }] : [404, {}];
  });
  const env = { AVP_TYPE: "delineasecretserver", AVP_DELINEA_URL: store.address, AVP_DELINEA_USER: "ada" };
  const read = await reader({ ...env, AVP_DELINEA_PASSWORD: "top" });
  assert.equal(await read("7", "Pass Word"), "one");
  assert.equal(await read("7", "pass-word"), "one");
  await assert.rejects(read("8", "pass-word"), /there is no such secret/);
  await assert.rejects(read("web", "x"), /no number of a secret/);
  const wrong = await reader({ ...env, AVP_DELINEA_PASSWORD: "other" });
  await assert.rejects(wrong("7", "x"), /answers 400 to the login/);
});

test("a store that is unknown is named with those that there are", async () => {
  await assert.rejects(
    reader({ AVP_TYPE: "cupboard" }),
    /AVP_TYPE "cupboard" cannot be used here. There are vault, aws/,
  );
});
