import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsOf } from "./read-repository.ts";
import { shownRepository } from "./shown-repository.ts";

test("a registry of Helm charts is shown as what it was given as, one of OCI artifacts as that", () => {
  const given = { repo: "registry.example/charts", type: "helm", enableOCI: true, name: "charts" };
  assert.deepEqual(shownRepository(settingsOf(given)), given);
  const artifacts = { repo: "oci://registry.example/app", type: "oci" };
  assert.deepEqual(shownRepository(settingsOf({ ...artifacts, enableOCI: true })), artifacts);
});

test("all that is not secret is shown, so that an entry can be written anew with its secrets alone", () => {
  const open = {
    repo: "https://git.example/app",
    type: "git",
    proxy: "http://proxy.example:3128",
    forceHttpBasicAuth: true,
    insecureOCIForceHttp: true,
    useAzureWorkloadIdentity: true,
    githubAppID: 1,
    githubAppInstallationID: 2,
    githubAppEnterpriseBaseUrl: "https://github.example/api/v3",
  };
  const secret = {
    password: "s3cret",
    githubAppPrivateKey: "s3cret",
    bearerToken: "s3cret",
    sshPrivateKey: "s3cret",
  };
  const given = { ...open, ...secret, proxy: "http://user:s3cret@proxy.example:3128" };
  assert.deepEqual(shownRepository(settingsOf(given)), open);
});
