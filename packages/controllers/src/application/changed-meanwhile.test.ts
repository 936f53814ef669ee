import { test } from "node:test";
import type { KubeRequest, KubeResponse } from "@capstan/kube";
import { configMapText, createGitRepository, sketchApplication, untilApplication } from "@capstan/testkit";
import { applicationRef, configMapRef, openSmallWorld, refresh, untilObject } from "@capstan/testkit/worlds";

const unavailable: KubeResponse = { status: 503, headers: {}, body: "" };
const isWatch = ({ url }: KubeRequest) => /\/applications\?.*watch=true/.test(url);
const isOfStatus = ({ method, url, body }: KubeRequest) =>
  method === "PATCH" && /\/applications\/web/.test(url) && (body ?? "").includes('"status"');

test("what is asked for while a look at the application is written down is not lost where the watch is late", async () => {
  await using git = await createGitRepository({ "one.yaml": configMapText("one") });
  let begin: (() => Promise<void>) | undefined;
  let watches = true;
  await using world = await openSmallWorld({
    async intercept(request) {
      if (!watches && isWatch(request)) return unavailable;
      if (begin && isOfStatus(request)) {
        const ask = begin;
        begin = undefined;
        await ask();
      }
      return undefined;
    },
  });
  await world.stopController();
  const signal = AbortSignal.timeout(100_000);
  await world.kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "web" } }, { signal });
  await world.kube.create(sketchApplication({ name: "web", repoURL: git.url, syncPolicy: {} }), { signal });
  watches = false;
  await world.restartController();
  await untilApplication(world.kube, "web", ({ health }) => health === "Missing");
  await world.controller.idle();
  let asked = false;
  begin = async () => {
    await refresh(world, "web");
    asked = true;
  };
  // It is looked at by another watch, of the objects that git names.
  const { apiVersion, kind, ...metadata } = configMapRef("web", "one");
  await world.kube.create({ apiVersion, kind, metadata }, { signal });
  await untilObject(
    world,
    applicationRef("web"),
    (app) => asked && app?.metadata.annotations?.["argocd.argoproj.io/refresh"] === undefined,
  );
});
