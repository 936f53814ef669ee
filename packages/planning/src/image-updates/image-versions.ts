import {
  type BuildFacts,
  chooseTag,
  type ImageFinding,
  type ImageRule,
  judgeTags,
  type PassedOver,
} from "@capstan/engine";
import { BoundedMap, type Clock, deadline, runLimited, SharedCalls } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import type { ImageRepository, RegistryClients } from "./registry-clients.ts";

interface Options {
  readonly clients: RegistryClients;
  readonly clock: Clock;
  /** How long what a registry has said counts; milliseconds. */
  keepMs(): number;
}

/** Of all repositories together. */
const maxTexts = 1_000_000;
const maxBuilds = 100_000;
/** Tags whose images are looked at for one rule of the strategy newest-build. */
const maxLookedAt = 2_000;
const looksAtOnce = 4;
/** A tag may be pushed anew; webhooks tell of it sooner. */
const buildKeepMs = 60 * 60_000;
/** For all questions of one rule. */
const longestMs = 5 * 60_000;
/** A registry that gives no answer is asked again after this. */
const failureMs = 30_000;

/** What registries have, asked once for all applications and kept for the interval. */
export class ImageVersions {
  readonly #options: Options;
  readonly #lists = new BoundedMap<{ answer: readonly string[] | { problem: unknown }; untilMs: number }>(
    maxTexts,
  );
  readonly #listing = new SharedCalls<readonly string[]>();
  readonly #builds = new BoundedMap<{ build: BuildFacts & { digest: string }; untilMs: number }>(maxBuilds);
  readonly #digests = new BoundedMap<{ digest: string; untilMs: number }>(maxBuilds);
  readonly #asking = new SharedCalls<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Rejects only where the signal is aborted. `namespace`: of the application. */
  async find(rule: ImageRule, namespace: string, signal: AbortSignal): Promise<ImageFinding> {
    const late = () => new Error(`the registry took longer than ${longestMs / 1000} s`);
    try {
      using limited = deadline({ clock: this.#options.clock, signal, ms: longestMs, late });
      const repository = await this.#options.clients.repository(rule, namespace, limited.signal);
      return await this.#find(rule, repository, limited.signal);
    } catch (error) {
      signal.throwIfAborted();
      return { rule, passedOver: [], problem: messageOf(error) };
    }
  }

  /** The registry has something new at this address (HOST/PATH). */
  forget(address: string): void {
    const isOf = (key: string) => key.startsWith(`${address} `);
    for (const map of [this.#lists, this.#builds, this.#digests]) map.deleteWhere(isOf);
  }

  async #find(rule: ImageRule, repository: ImageRepository, signal: AbortSignal): Promise<ImageFinding> {
    const { candidates, passedOver, problem } = judgeTags(await this.#tags(repository, signal), rule);
    if (problem !== undefined) return { rule, passedOver, problem };
    const builds = await this.#buildsOf(candidates, { rule, repository, signal });
    const chosen = chooseTag(candidates, rule, builds);
    const all: PassedOver[] = [...passedOver, ...chosen.passedOver];
    const { tag } = chosen;
    if (tag === undefined) return { rule, passedOver: all };
    if (rule.strategy !== "digest") return { rule, version: { tag, digest: "" }, passedOver: all };
    const digest = await this.#digest(tag, repository, signal);
    return { rule, version: { tag, digest }, passedOver: all };
  }

  async #tags(repository: ImageRepository, signal: AbortSignal): Promise<readonly string[]> {
    const { clock, keepMs } = this.#options;
    const { key } = repository;
    const known = this.#lists.get(key);
    if (known && known.untilMs > clock.now()) {
      if ("problem" in known.answer) throw known.answer.problem;
      return known.answer;
    }
    const fetch = async (inner: AbortSignal) => {
      try {
        const tags = await repository.open(inner).tags();
        this.#lists.set(key, { answer: tags, untilMs: clock.now() + keepMs() }, tags.length + 1);
        return tags;
      } catch (problem) {
        if (!inner.aborted) this.#lists.set(key, { answer: { problem }, untilMs: clock.now() + failureMs });
        throw problem;
      }
    };
    return this.#listing.join(key, fetch, signal);
  }

  async #digest(tag: string, repository: ImageRepository, signal: AbortSignal): Promise<string> {
    const { clock, keepMs } = this.#options;
    const key = `${repository.key} ${tag}`;
    const known = this.#digests.get(key);
    if (known && known.untilMs > clock.now()) return known.digest;
    const fetch = async (inner: AbortSignal) => {
      const digest = await repository.open(inner).digest(tag);
      this.#digests.set(key, { digest, untilMs: clock.now() + keepMs() });
      return digest;
    };
    return this.#asking.join(key, fetch, signal);
  }

  async #buildsOf(
    tags: readonly string[],
    { rule, repository, signal }: { rule: ImageRule; repository: ImageRepository; signal: AbortSignal },
  ): Promise<ReadonlyMap<string, BuildFacts>> {
    const builds = new Map<string, BuildFacts>();
    if (rule.strategy !== "newest-build") return builds;
    if (tags.length > maxLookedAt)
      throw new Error(
        `${tags.length} tags fit, and newest-build looks at the image of each: at most at ${maxLookedAt}. Say by allow-tags which are meant`,
      );
    const registry = repository.open(signal);
    await runLimited(tags, looksAtOnce, async (tag) => {
      const key = `${repository.key} ${tag} ${rule.platforms.join(",")}`;
      const known = this.#builds.get(key);
      const isFresh = known !== undefined && known.untilMs > this.#options.clock.now();
      const build = isFresh ? known.build : await registry.build(tag, rule.platforms);
      if (!isFresh) this.#builds.set(key, { build, untilMs: this.#options.clock.now() + buildKeepMs });
      builds.set(tag, build);
    });
    return builds;
  }
}
