import { applicationNotices, idleCompareOptions, objectNotices } from "@capstan/engine";
import { canonicalJson } from "@capstan/formats";
import { type Settings, spellingOf } from "@capstan/kube";
import { type Application, annotationKeys, isSameRepository, sourcesOf, templateFor } from "@capstan/model";
import { describeSetting } from "@capstan/model/settings";
import { type ApplicationRun, type ComparedRun, draftedApp, setConditions } from "../application-run.ts";

const maxSaid = 20;

/** The annotations, but those that ask for a comparison by themselves. */
export function marksOf({ metadata }: Pick<Application, "metadata">): string {
  const {
    [annotationKeys.refresh]: _,
    [annotationKeys.refreshTimestamp]: __,
    [annotationKeys.traceparent]: ___,
    ...marks
  } = metadata.annotations ?? {};
  return canonicalJson(marks);
}

/** Says what is set and has no effect: on the application, its objects, and the Secrets that it uses. */
export function sayNotHonoured(compared: ComparedRun): void {
  const { run, comparison } = compared;
  const { memory, draft, needs, key, app } = run;
  const texts = [
    ...ownNotices(run),
    ...idleCompareOptions(app, needs.settings.current.general),
    ...secretNotices(compared, needs.settings.current),
    ...objectNotices(comparison.targets),
  ];
  const shown = texts.slice(0, maxSaid);
  if (texts.length > maxSaid)
    shown.push(
      `${texts.length - maxSaid} more: capstan admin settings report lists those of the application itself`,
    );
  const before = new Set((draft.status.conditions ?? []).map(({ message }) => message));
  const fresh = shown.filter((message) => !before.has(message));
  if (fresh.length > 0) needs.log.warn({ app: key, notHonoured: fresh }, "settings that are not honoured");
  setConditions(
    run,
    ["NotHonoured"],
    shown.map((message) => ({ type: "NotHonoured", message })),
  );
  memory.saidOf = marksOf(app);
}

const noticesOf = new WeakMap<Application["spec"], { marks: string; texts: readonly string[] }>();

/** Of the application itself: its spec and its annotations say it all. */
function ownNotices(run: ApplicationRun): readonly string[] {
  const { spec } = run.app;
  const marks = marksOf(run.app);
  const known = noticesOf.get(spec);
  if (known?.marks === marks) return known.texts;
  const texts = applicationNotices(draftedApp(run));
  noticesOf.set(spec, { marks, texts });
  return texts;
}

/** Of the destination's Secret, and of those of the sources' repositories. */
function secretNotices({ run: { draft }, cluster }: ComparedRun, settings: Settings): string[] {
  const { clusters, repositories, credentialTemplates } = settings;
  const project = draft.spec.project || "default";
  const used = sourcesOf(draft).flatMap(({ repoURL }) => [
    ...repositories.filter(
      (one) => isSameRepository(one.url, repoURL, spellingOf(one)) && (one.project ?? project) === project,
    ),
    templateFor(credentialTemplates, repoURL, project),
  ]);
  const secrets = [...clusters.filter(({ server }) => server === cluster.server), ...used];
  const names = new Set(secrets.map((one) => `Secret ${one?.secret.secretName ?? ""}`));
  return settings.notHonoured
    .filter(({ where }) => names.has(where))
    .flatMap(({ where, found }) => found.map((setting) => `${where}: ${describeSetting(setting)}`));
}
