import assert from "node:assert/strict";
import { constants, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { startStore } from "@capstan/secret-services/test-store";
import { reader } from "./test-reader.ts";

const group = "0f5a1c2e-1111-2222-3333-444455556666";

/** From IBM's published description of the API, version 2: listing in pages, secrets and versions by id. */
function startIbm() {
  const secrets = [
    { id: "1", name: "token", secret_type: "arbitrary", payload: "one" },
    { id: "2", name: "login", secret_type: "username_password", username: "ada", password: "top" },
    { id: "3", name: "pairs", secret_type: "kv", data: { a: "x", b: { c: 1 } } },
    ...Array.from({ length: 250 }, (_, at) => ({
      id: `n${at}`,
      name: `n${at}`,
      secret_type: "arbitrary",
      payload: `v${at}`,
    })),
  ];
  return startStore(({ method, url, headers, text }) => {
    if (url.pathname === "/identity/token") {
      const form = new URLSearchParams(text);
      const isRight =
        method === "POST" &&
        form.get("grant_type") === "urn:ibm:params:oauth:grant-type:apikey" &&
        form.get("apikey") === "top";
      return isRight ? [200, { access_token: "eyJ" }] : [400, { errorCode: "BXNIM0415E" }];
    }
    if (headers.authorization !== "Bearer eyJ") return [401, { errors: [{ code: "unauthorized" }] }];
    const [, , , kind, id, versions, version] = url.pathname.split("/");
    if (kind === "secret_groups") return [200, { secret_groups: [{ id: group, name: "team" }] }];
    if (id === undefined) {
      if (url.searchParams.get("groups") !== group) return [200, { secrets: [] }];
      const [offset, limit] = ["offset", "limit"].map((name) => Number(url.searchParams.get(name)));
      const page = secrets.slice(offset, (offset ?? 0) + (limit ?? 0));
      return [200, { secrets: page.map(({ id, name, secret_type }) => ({ id, name, secret_type })) }];
    }
    const found = secrets.find((one) => one.id === id);
    if (!found) return [404, { errors: [{ code: "not_found" }] }];
    if (versions === undefined) return [200, found];
    if (version === "gone") return [200, { ...found, payload_available: false }];
    return [200, { ...found, payload: `one ${version}`, payload_available: true }];
  });
}

test("IBM Secrets Manager: by group and type, one secret or all, versions, fields", async () => {
  await using store = await startIbm();
  const env = {
    AVP_TYPE: "ibmsecretsmanager",
    AVP_IBM_INSTANCE_URL: store.address,
    SECRETS_MANAGER_AUTH_URL: store.address,
    AVP_IBM_API_KEY: "top",
  };
  const read = await reader(env);
  const arbitrary = `ibmcloud/arbitrary/secrets/groups/${group}`;
  assert.equal(await read(arbitrary, "token"), "one");
  assert.equal(await read(arbitrary, "token", { version: "previous" }), "one previous");
  assert.equal(await read(arbitrary, "n249", { isWhole: true }), "v249");
  const byName = "ibmcloud/username_password/secrets/groups/team";
  assert.deepEqual(await read(byName, "login"), { username: "ada", password: "top" });
  assert.equal(await read(`${byName}/login`, "password"), "top");
  assert.equal(await read("ibmcloud/kv/secrets/groups/team/pairs", "a"), "x");
  assert.equal(await read(arbitrary, "none"), undefined);
  assert.equal(await read(arbitrary, "login"), undefined, "of another type");
  assert.equal(await read(`${byName}/none`, "password"), undefined);
  assert.equal(store.asked.filter((one) => one === "POST /identity/token").length, 1);
  await assert.rejects(read(arbitrary, "token", { version: "gone" }), /payload of this version is gone/);
  await assert.rejects(read(`${arbitrary}/token`, "x"), /an arbitrary secret has no fields/);
  await assert.rejects(read("secret/data/x", "x"), /no "ibmcloud\/TYPE\/secrets\/groups\/GROUP"/);
  await assert.rejects(read("ibmcloud/kv/secrets/groups/others", "x"), /no secret group "others"/);
  const wrong = await reader({ ...env, AVP_IBM_API_KEY: "other" });
  await assert.rejects(wrong(arbitrary, "token"), /IBM answers 400 to the request for a token/);
});

test("Yandex Lockbox: entries of a secret, for an authorised key's signed statement", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  await using store = await startStore(({ url, headers, text }) => {
    if (url.pathname === "/iam/v1/tokens") {
      const [head = "", claims = "", signature = ""] = String(JSON.parse(text).jwt).split(".");
      const decode = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
      const key = createPublicKey(publicKey.export({ type: "spki", format: "pem" }));
      const signed = Buffer.from(`${head}.${claims}`);
      const isOwn = verify("sha256", signed, { key, ...pss }, Buffer.from(signature, "base64url"));
      const isRight =
        isOwn &&
        decode(head).kid === "key" &&
        decode(claims).iss === "account" &&
        decode(claims).aud === "https://iam.api.cloud.yandex.net/iam/v1/tokens";
      return isRight ? [200, { iamToken: "t1." }] : [401, { code: 16 }];
    }
    if (headers.authorization !== "Bearer t1.") return [401, { code: 16 }];
    if (url.pathname !== "/lockbox/v1/secrets/e6q123/payload") return [404, { code: 5 }];
    const password = url.searchParams.get("versionId") ?? "now";
    const entries = [
      { key: "password", textValue: password },
      { key: "blob", binaryValue: "AAAA" },
    ];
    return [200, { versionId: "v", entries }];
  });
  const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  const env = {
    AVP_TYPE: "yandexcloudlockbox",
    YC_LOCKBOX_ENDPOINT: store.address,
    YC_IAM_ENDPOINT: store.address,
    AVP_YCL_SERVICE_ACCOUNT_ID: "account",
    AVP_YCL_KEY_ID: "key",
    AVP_YCL_PRIVATE_KEY: `PLEASE DO NOT REMOVE THIS LINE! Yandex.Cloud SA Key ID <key>\n${pem}`,
  };
  const read = await reader(env);
  assert.equal(await read("e6q123", "password"), "now");
  assert.equal(await read("e6q123", "password", { version: "e6v" }), "e6v");
  assert.equal(await read("e6q123", "blob"), undefined);
  await assert.rejects(read("e6qnone", "password"), /there is no such secret/);
  await assert.rejects(read("a/b", "password"), /no id of a secret/);
  const other = await reader({ ...env, AVP_YCL_KEY_ID: "other" });
  await assert.rejects(other("e6q123", "password"), /Yandex answers 401 to the request for a token/);
  const unreadable = await reader({ ...env, AVP_YCL_PRIVATE_KEY: "top" });
  await assert.rejects(unreadable("e6q123", "password"), /AVP_YCL_PRIVATE_KEY is no private key in PEM/);
});

test("Kubernetes: a Secret by name, or by namespace and name, as far as the reader may", async () => {
  const asked: string[] = [];
  const read = await reader(
    { AVP_TYPE: "kubernetessecret" },
    {
      readSecret: async ({ namespace, name }) => {
        asked.push(`${namespace}/${name}`);
        if (namespace === "kube-system") throw new Error(`secrets "${name}" is forbidden`);
        return name === "web" ? { password: "one" } : undefined;
      },
    },
  );
  assert.equal(await read("web", "password"), "one");
  assert.equal(await read("shop:web", "password"), "one");
  await assert.rejects(read("shop:none", "password"), /there is no such secret/);
  assert.deepEqual(asked, ["argocd/web", "shop/web", "shop/none"]);
  await assert.rejects(read("kube-system:web", "password"), /secrets "web" is forbidden/);
  await assert.rejects(read("a/b", "password"), /no "NAME" or "NAMESPACE:NAME"/);
  await assert.rejects(reader({ AVP_TYPE: "kubernetessecret" }), /no cluster here/);
});
