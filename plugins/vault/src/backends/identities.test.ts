import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "@capstan/flow";
import { TokenCache } from "@capstan/secret-services";
import { isSigned, startStore } from "@capstan/secret-services/test-store";
import { reader } from "./test-reader.ts";

const folder = await mkdtemp(join(tmpdir(), "capstan-identities-"));
after(() => rm(folder, { recursive: true, force: true }));
const tokenFile = join(folder, "token");
await writeFile(tokenFile, "eyJ.of-the-account\n");

test("AWS: a service account's token for a role, in the region of the ARN, of the setting or Ohio", async () => {
  const regions: string[] = [];
  await using store = await startStore((call) => {
    const { url, headers } = call;
    if (url.searchParams.get("Action") === "AssumeRoleWithWebIdentity") {
      const isRight =
        url.searchParams.get("RoleArn") === "arn:aws:iam::1:role/web" &&
        url.searchParams.get("WebIdentityToken") === "eyJ.of-the-account";
      const Credentials = { AccessKeyId: "id", SecretAccessKey: "of-the-role", SessionToken: "session" };
      const answer = { AssumeRoleWithWebIdentityResult: { Credentials } };
      return isRight ? [200, { AssumeRoleWithWebIdentityResponse: answer }] : [403, {}];
    }
    if (!isSigned(call, "of-the-role") || headers["x-amz-security-token"] !== "session") return [403, {}];
    regions.push(/\/(\w+-\w+-\d)\/secretsmanager\//.exec(headers.authorization ?? "")?.[1] ?? "");
    return [200, { SecretString: '{"password":"one"}' }];
  });
  const env = {
    AVP_TYPE: "awssecretsmanager",
    AWS_ENDPOINT_URL: store.address,
    AWS_ENDPOINT_URL_STS: store.address,
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_ARN: "arn:aws:iam::1:role/web",
  };
  const read = await reader(env);
  assert.equal(await read("web", "password"), "one");
  assert.equal(await read("arn:aws:secretsmanager:eu-west-3:1:secret:web", "password"), "one");
  assert.equal(await (await reader({ ...env, AWS_REGION: "eu-north-1" }))("web", "password"), "one");
  assert.deepEqual(regions, ["us-east-2", "eu-west-3", "eu-north-1"]);
  const other = await reader({ ...env, AWS_ROLE_ARN: "arn:aws:iam::1:role/other" });
  await assert.rejects(other("web", "password"), /AWS answers 403 to AssumeRoleWithWebIdentity/);
});

test("Google: the machine's own account where no key file is named", async () => {
  await using store = await startStore(({ url, headers }) => {
    if (url.pathname === "/computeMetadata/v1/instance/service-accounts/default/token")
      return headers["metadata-flavor"] === "Google" ? [200, { access_token: "ya29" }] : [403, {}];
    const data = Buffer.from("one").toString("base64");
    return headers.authorization === "Bearer ya29" ? [200, { payload: { data } }] : [401, {}];
  });
  const read = await reader({
    AVP_TYPE: "gcpsecretmanager",
    GOOGLE_SECRET_MANAGER_ENDPOINT: store.address,
    GCE_METADATA_HOST: new URL(store.address).host,
  });
  assert.equal(await read("projects/p/secrets/web", "web"), "one");
});

test("Azure: a workload's token, or the machine's identity", async () => {
  await using store = await startStore(({ url, headers, text }) => {
    const form = new URLSearchParams(text);
    if (url.pathname === "/tenant/oauth2/v2.0/token")
      return form.get("client_assertion") === "eyJ.of-the-account" && form.get("client_id") === "app"
        ? [200, { access_token: "workload" }]
        : [401, {}];
    if (url.pathname === "/metadata")
      return headers.metadata === "true" && url.searchParams.get("resource") === "https://vault.azure.net"
        ? [200, { access_token: "machine" }]
        : [400, {}];
    return [200, { value: String(headers.authorization).replace("Bearer ", "") }];
  });
  const env = { AVP_TYPE: "azurekeyvault", AZURE_KEY_VAULT_ENDPOINT: store.address };
  const workload = await reader({
    ...env,
    AZURE_AUTHORITY_HOST: store.address,
    AZURE_TENANT_ID: "tenant",
    AZURE_CLIENT_ID: "app",
    AZURE_FEDERATED_TOKEN_FILE: tokenFile,
  });
  assert.equal(await workload("web", "one"), "workload");
  const machine = await reader({ ...env, AZURE_POD_IDENTITY_AUTHORITY_HOST: `${store.address}/metadata` });
  assert.equal(await machine("web", "one"), "machine");
});

test("Delinea: the domain goes with the login", async () => {
  await using store = await startStore(({ url, text }) => {
    if (url.pathname !== "/oauth2/token") return [200, { items: [] }];
    return new URLSearchParams(text).get("domain") === "corp" ? [200, { access_token: "t" }] : [400, {}];
  });
  const read = await reader({
    AVP_TYPE: "delineasecretserver",
    AVP_DELINEA_URL: store.address,
    AVP_DELINEA_USER: "ada",
    AVP_DELINEA_PASSWORD: "top",
    AVP_DELINEA_DOMAIN: "corp",
  });
  assert.equal(await read("7", "none"), undefined);
});

test("one login of an identity serves the renders of ten minutes, and no other identity", async () => {
  let logins = 0;
  await using store = await startStore(({ url, text }) => {
    if (url.pathname !== "/oauth2/token") return [200, { items: [{ slug: "a", itemValue: "one" }] }];
    logins += 1;
    const isRight = new URLSearchParams(text).get("password") === "top";
    return isRight ? [200, { access_token: "t", expires_in: 3600 }] : [400, {}];
  });
  let now = 0;
  const clock = { now: () => now, sleep: systemClock.sleep };
  const tokens = new TokenCache(clock);
  const env = { AVP_TYPE: "delineasecretserver", AVP_DELINEA_URL: store.address, AVP_DELINEA_USER: "ada" };
  const render = async (password: string) =>
    (await reader({ ...env, AVP_DELINEA_PASSWORD: password }, { clock, tokens }))("7", "a");
  for (let renders = 0; renders < 3; renders += 1) assert.equal(await render("top"), "one");
  assert.equal(logins, 1);
  await assert.rejects(render("other"), /answers 400 to the login/);
  now = 600_000;
  assert.equal(await render("top"), "one");
  assert.equal(logins, 3);
});

const k8s = { AVP_AUTH_TYPE: "k8s", AVP_K8S_TOKEN_PATH: tokenFile };
const nobody = "http://127.0.0.1:1";
const lacking: readonly [Record<string, string>, string][] = [
  [{}, "VAULT_ADDR"],
  [{ VAULT_ADDR: nobody }, "VAULT_TOKEN"],
  [{ VAULT_ADDR: nobody, AVP_AUTH_TYPE: "approle" }, "AVP_ROLE_ID"],
  [{ VAULT_ADDR: nobody, AVP_AUTH_TYPE: "approle", AVP_ROLE_ID: "r" }, "AVP_SECRET_ID"],
  [{ VAULT_ADDR: nobody, AVP_AUTH_TYPE: "github" }, "AVP_GITHUB_TOKEN"],
  [{ VAULT_ADDR: nobody, AVP_AUTH_TYPE: "userpass" }, "AVP_USERNAME"],
  [{ VAULT_ADDR: nobody, AVP_AUTH_TYPE: "userpass", AVP_USERNAME: "ada" }, "AVP_PASSWORD"],
  [{ VAULT_ADDR: nobody, ...k8s }, "AVP_K8S_ROLE"],
  [{ AVP_TYPE: "awssecretsmanager" }, "AWS_ACCESS_KEY_ID"],
  [{ AVP_TYPE: "azurekeyvault", AZURE_CLIENT_SECRET: "top" }, "AZURE_TENANT_ID"],
  [{ AVP_TYPE: "1passwordconnect" }, "OP_CONNECT_HOST"],
  [{ AVP_TYPE: "1passwordconnect", OP_CONNECT_HOST: nobody }, "OP_CONNECT_TOKEN"],
  [{ AVP_TYPE: "delineasecretserver" }, "AVP_DELINEA_URL"],
  [{ AVP_TYPE: "delineasecretserver", AVP_DELINEA_URL: nobody }, "AVP_DELINEA_USER"],
  [{ AVP_TYPE: "ibmsecretsmanager" }, "VAULT_ADDR"],
  [{ AVP_TYPE: "ibmsecretsmanager", VAULT_ADDR: nobody }, "AVP_IBM_API_KEY"],
  [{ AVP_TYPE: "keepersecretsmanager" }, "AVP_KEEPER_CONFIG_PATH"],
  [{ AVP_TYPE: "yandexcloudlockbox" }, "AVP_YCL_SERVICE_ACCOUNT_ID"],
  [{ AVP_TYPE: "yandexcloudlockbox", AVP_YCL_SERVICE_ACCOUNT_ID: "a" }, "AVP_YCL_KEY_ID"],
];
const paths: Readonly<Record<string, string>> = {
  ibmsecretsmanager: "ibmcloud/kv/secrets/groups/default/web",
  delineasecretserver: "7",
};

for (const [env, name] of lacking)
  test(`${Object.keys(env).join(" ") || "no setting"}: ${name} is asked for by name`, async () => {
    const asked = reader(env).then((read) => read(paths[env.AVP_TYPE ?? ""] ?? "web", "password"));
    await assert.rejects(asked, new RegExp(`^Error: ${name} is not set$`));
  });
