/** The operator's Lua scripts read what tenants write. */
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { deploys } from "../deploy.ts";

/** A script that an object may lead astray; of a kind that no other attack uses. */
const script = `
local mode = obj.metadata.annotations and obj.metadata.annotations.mode
if mode == "endless" then while true do pcall(function() while true do end end) end end
if mode == "tables" then local all = {} while true do all[#all + 1] = { all } end end
if mode == "text" then local text = obj.metadata.name while true do text = text .. text end end
local found = ""
for _, name in pairs({ "io", "debug", "dofile", "loadfile", "os", "string" }) do
  if _G[name] ~= nil then found = found .. " " .. name end
end
return { status = found == "" and "Healthy" or "Degraded", message = found }
`;

async function setScript({ capstan }: AttackWorld): Promise<void> {
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  const data = { "resource.customizations.health.LimitRange": script };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  const signal = AbortSignal.timeout(60_000);
  await capstan.kube.apply(map, { fieldManager: "attack-scripts", force: true, signal });
}

const limitRange = (mode: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "fine", annotations: { mode } },
    spec: { limits: [] },
  });

function healthOf(body: unknown): unknown {
  const status = isRecord(body) ? body.status : undefined;
  const health = isRecord(status) ? status.health : undefined;
  return isRecord(health) ? health.status : undefined;
}

/** Deploys the object, and waits for what its application is told to be. */
function judged(mode: string, expected: { status: string; says: RegExp }): Attack["play"] {
  const name = `script-${mode}`;
  return async (world) => {
    await setScript(world);
    await deploys(name, { files: () => ({ "app/a.json": limitRange(mode) }), ends: { either: true } })(world);
    let text = "";
    const isSo = async (): Promise<true | undefined> => {
      const { body } = await world.ask("alice", `GET /api/v1/applications/${name}`);
      text = JSON.stringify(body);
      return healthOf(body) === expected.status && expected.says.test(text) ? true : undefined;
    };
    await eventually(isSo, { signal: AbortSignal.timeout(60_000), describe: () => text });
    await world.assertUnharmed([text]);
  };
}

const late = { status: "Unknown", says: /more than 1 s and was ended/ };

export const attacks: readonly Attack[] = [
  {
    id: "scripts/an-object-on-which-a-script-does-not-end",
    threat: "A tenant writes an object on which the operator's health script runs for ever, within pcall",
    heldBy:
      "scripts run in a thread that is ended after a second; the object is left alone for a growing while, and whoever has used least of the thread is served next",
    play: judged("endless", late),
  },
  {
    id: "scripts/an-object-on-which-a-script-fills-the-memory",
    threat: "A tenant writes an object on which the operator's health script makes tables without end",
    slow: true,
    heldBy: "an allocator that counts, and the thread's end",
    play: judged("tables", { status: "Unknown", says: /not enough memory|more than 1 s and was ended/ }),
  },
  {
    id: "scripts/an-object-on-which-a-script-makes-a-huge-text",
    slow: true,
    threat: "A tenant writes an object on which the operator's health script doubles a text without end",
    heldBy: "an allocator that counts",
    play: judged("text", { status: "Unknown", says: /not enough memory/ }),
  },
  {
    id: "scripts/a-script-without-libraries",
    threat: "A script for which no libraries are opened looks for files, programs and the environment",
    heldBy: "each run has globals of its own, with neither os nor io nor debug among them",
    play: judged("reach", { status: "Healthy", says: /"Healthy"/ }),
  },
];
