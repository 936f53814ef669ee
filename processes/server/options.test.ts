import assert from "node:assert/strict";
import { test } from "node:test";
import { readServerOptions } from "./options.ts";

const read = (flags: Parameters<typeof readServerOptions>[0]) =>
  readServerOptions(flags, { env: {}, kubeconfig: "/k", dataDir: "/data" });

test("the server runs no loops, and listens where it is told", () => {
  const options = read({ address: "::1", port: 1, rootpath: "argocd/", namespace: "ops" });
  const { controllers, samples, host, port, kubeconfig, place, namespace } = options;
  assert.deepEqual(
    { controllers, samples, host, port, kubeconfig, place, namespace },
    {
      ...{ controllers: false, samples: false, host: "::1", port: 1, kubeconfig: "/k", namespace: "ops" },
      place: { rootPath: "/argocd", base: "/argocd" },
    },
  );
});

test("a base alone is what a proxy takes away; two that differ are refused, and so is what is no path", () => {
  assert.deepEqual(read({ basehref: "/argocd/" }).place, { rootPath: "", base: "/argocd" });
  assert.deepEqual(read({ basehref: "/", rootpath: "/a/b" }).place, { rootPath: "/a/b", base: "/a/b" });
  assert.throws(() => read({ basehref: "/a", rootpath: "/b" }), /two paths/);
  for (const path of ['/"><script>', "/a/../b", "/a//b", "/a?b", "/ü", "/a;b", "/."])
    assert.throws(() => read({ rootpath: path }), /--rootpath: .* is no path/, path);
});
