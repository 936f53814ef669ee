/**
 * The pages of docs/, typed command by command: each in a terminal of its own, as CONTRIBUTING.md ("Commands in pages")
 * says. What a page says is printed must be printed.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { type DocsBlock, lackingRealCluster, startEmbeddedCluster, startRealCluster } from "@capstan/testkit";
import {
  commandsOf,
  lackingLines,
  type Names,
  type Page,
  partsOf,
  readPage,
  saysUntried,
  scriptOf,
} from "./page-script.ts";
import { allPages, elsewhere, type PageSetting, pages } from "./pages.ts";
import { docs, openPlace, type Place } from "./place.ts";
import type { PageCluster } from "./prepare.ts";

const read = async (name: string): Promise<Page> =>
  readPage(await readFile(join(docs, `${name}.md`), "utf8"));

/** For tests: that a page whose commands are not typed says so, and no other. */
export async function assertUntriedSaySo(): Promise<void> {
  const names = (await readdir(docs)).filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3));
  for (const name of names) {
    const page = await read(name);
    const isPlayed = [...allPages, ...elsewhere].includes(name);
    const expected = page.blocks.length > 0 && !isPlayed;
    assert.equal(
      saysUntried(page),
      expected,
      `docs/${name}.md: ${expected ? "says not" : "says"} that it is not tried`,
    );
  }
}

/** For tests: types these pages, each from its first line to its last. Those that say nothing else share one Capstan. */
export function typePages(names: readonly string[]): void {
  const closing = new AsyncDisposableStack();
  after(() => closing.disposeAsync());
  let shared: Promise<Place> | undefined;
  let cluster: Promise<PageCluster> | undefined;

  /** What the pages begin with that say nothing else: their Capstan runs, and its samples are Healthy. */
  async function beside({ starts }: PageSetting): Promise<Place> {
    shared ??= openPlace().then((place) => closing.use(place));
    const place = await shared;
    const samples = "capstan app wait kustomized plain shop waves --health --sync";
    const isUp = `capstan status >/dev/null || { capstan up --detach --wait && ${samples}; }`;
    if (!starts) await place.type(scriptOf([], {}) + isUp);
    return place;
  }

  for (const name of names)
    test(name, async (t) => {
      const setting = pages[name];
      assert.ok(setting, `no page ${name}: there are ${allPages.join(", ")}`);
      await using opened = new AsyncDisposableStack();
      if (setting.place === "cluster") cluster ??= openCluster(t).then((one) => closing.use(one));
      const theirs = setting.place === "cluster" ? await cluster : undefined;
      const place = setting.place ? opened.use(await openPlace(theirs?.kubeconfig)) : await beside(setting);
      const prepared = await setting.prepare?.({ opened, place, cluster: theirs });
      const names = { ...place.names, ...prepared };
      await typePage(t, { name, page: await read(name), place, names, setting });
    });
}

/** A real control plane with a simulated node where it is built, else an embedded one. */
async function openCluster(t: TestContext): Promise<PageCluster> {
  const lacks = lackingRealCluster({ nodes: true });
  if (lacks) t.diagnostic(`an embedded cluster stands for the reader's: ${lacks}`);
  return lacks ? startEmbeddedCluster() : startRealCluster({ nodes: true });
}

interface Typed {
  readonly setting: PageSetting;
  readonly name: string;
  readonly page: Page;
  readonly place: Place;
  readonly names: Names;
}

async function typePage(t: TestContext, { name, page, place, names, setting }: Typed): Promise<void> {
  const isLeftOut = (block: DocsBlock): boolean => {
    const program = lackingProgram(block, place);
    const reason = program === undefined ? lackingIn(block, setting) : `there is no ${program} here`;
    if (reason) t.diagnostic(`docs/${name}.md, line ${block.line}: ${reason}`);
    return reason !== false;
  };
  const commands = commandsOf(page, isLeftOut);
  const { said, beside } = await place.type(scriptOf(commands, names), { commands, names });
  const parts = partsOf(said);
  for (const [index, command] of commands.entries()) {
    const { printed = "", code } = parts.get(index) ?? {};
    const shown = command.goesOn ? (beside.get(index) ?? "") : printed;
    const where = `docs/${name}.md, line ${command.line}: ${command.text}`;
    // Of what prints what it should, some say more with their code: differences, a "no".
    const isRight = command.goesOn || code === "0" || (code === "1" && command.output.length > 0);
    assert.ok(isRight, `${where}\nends with ${code}:\n${printed || said}`);
    const lacking = lackingLines(command, shown, names);
    assert.ok(lacking.length === 0, `${where}\nsays not "${lacking.join('" nor "')}":\n${shown || said}`);
  }
}

function lackingIn({ commands }: DocsBlock, { lacking = {} }: PageSetting): string | false {
  const named = Object.keys(lacking).filter((part) => commands.some(({ text }) => text.includes(part)));
  return named.map((part) => lacking[part]?.() ?? false).find((reason) => reason !== false) ?? false;
}

/** Programs that this project does not bring. */
function lackingProgram({ commands }: DocsBlock, { bin }: Place): string | undefined {
  const folders = [bin, "/usr/local/bin", "/usr/bin", "/bin"];
  const wanted = ["argocd", "sops", "vault", "helmfile", "jq", "docker"];
  return wanted.find(
    (program) =>
      commands.some(({ text }) => new RegExp(String.raw`(?:^|&& |\| )${program} `).test(text)) &&
      !folders.some((folder) => existsSync(join(folder, program))),
  );
}
