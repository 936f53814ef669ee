import assert from "node:assert/strict";
import { test } from "node:test";
import { inProcessPlugin, type Plugin } from "@capstan/plugin-kit";
import { realClock, startWorld, TestLog } from "@capstan/testkit/render-world";
import { PluginChoice } from "./choose-plugin.ts";

const tool = (name: string, about: NonNullable<Plugin["tool"]>): Plugin =>
  inProcessPlugin({ name, tool: about, generate: async () => ({ manifests: [], commands: [] }) });

test("what a tool says of itself decides: its section, its sign, its switch, and which takes the rest", async () => {
  const tools = [
    tool("charts", { section: "helm", type: "Helm", isSign: (name) => name === "chart.here" }),
    tool("files", { section: "directory", type: "Directory" }),
  ];
  const world = { settings: {}, appName: "web", path: "app", env: {}, refs: {} };
  await using around = await startWorld({
    plugins: [
      inProcessPlugin({
        name: "asks",
        generate: async ({ tree, source: own }) => {
          const choice = new PluginChoice({ tools, clock: realClock, log: new TestLog() });
          const none = { plugins: [], unreachable: new Map(), busy: new Map(), digest: "" };
          const installed = { ...none, waitFor: async () => installed };
          const { signal } = new AbortController();
          const context = { ...world, tree, namespace: "", project: "", kubeVersion: "", apiVersions: [] };
          const named = async (source: object, more: object = {}) => {
            const bare = { repoURL: own.repoURL, ...source };
            return (await choice.choose({ ...context, source: bare, ...more }, installed, signal)).name;
          };
          assert.equal(await named({}), "charts");
          assert.equal(await named({}, { path: "plain" }), "files");
          assert.equal(await named({ helm: {} }, { path: "plain" }), "charts");
          assert.equal(await named({}, { settings: { disabledTypes: ["Helm"] } }), "files");
          assert.equal(await named({ plugin: { name: "charts" } }), "charts");
          await assert.rejects(named({ helm: {}, directory: {} }), /helm.*directory/);
          return { manifests: [], commands: [] };
        },
      }),
    ],
  });
  around.repository.commit({ "app/chart.here": "", "plain/x.yaml": "" });
  await around.render({ path: "app", plugin: { name: "asks" } });
});
