import {
  type Application,
  isAutomated,
  readSyncOptions,
  withoutSyncOption,
  withSyncOption,
  writableSyncOptions,
} from "@capstan/model";
import { ListEditor } from "../forms/row-editors.tsx";
import { FormCheck, FormField } from "./form-field.tsx";

interface Props {
  app: Application;
  onChange(app: Application): void;
}

type Policy = NonNullable<Application["spec"]["syncPolicy"]>;

/** When it syncs, and how. */
export function PolicyFields({ app, onChange }: Props) {
  const policy: Policy = app.spec.syncPolicy ?? {};
  const { automated, syncOptions = [], retry } = policy;
  const put = (changed: Policy) => {
    const { syncPolicy: _before, ...spec } = app.spec;
    const isEmpty = Object.keys(changed).length === 0;
    onChange({ ...app, spec: isEmpty ? spec : { ...spec, syncPolicy: changed } });
  };
  const putOptions = (options: readonly string[]) => {
    const { syncOptions: _before, ...others } = policy;
    put(options.length === 0 ? others : { ...others, syncOptions: [...options] });
  };
  const putRetry = (text: string) => {
    const { retry: before, ...others } = policy;
    const limit = Number(text);
    put(text === "" || !Number.isInteger(limit) ? others : { ...others, retry: { ...before, limit } });
  };
  const automate = (isOn: boolean) => {
    const { automated: before, ...others } = policy;
    const { enabled: _off, ...kept } = before ?? {};
    put(isOn ? { ...others, automated: kept } : others);
  };
  return (
    <fieldset>
      <legend>When</legend>
      <FormCheck label="Sync by itself after each commit" checked={isAutomated(app)} onChange={automate} />
      {automated && isAutomated(app) && (
        <>
          <FormCheck
            label="Delete what is no longer in git"
            checked={automated.prune ?? false}
            onChange={(prune) => put({ ...policy, automated: { ...automated, prune } })}
          />
          <FormCheck
            label="Undo changes that are made in the cluster by hand"
            checked={automated.selfHeal ?? false}
            onChange={(selfHeal) => put({ ...policy, automated: { ...automated, selfHeal } })}
          />
        </>
      )}
      <FormCheck
        label="Create the namespace if it is missing"
        checked={readSyncOptions(syncOptions).createNamespace === true}
        onChange={(isOn) =>
          putOptions(
            isOn
              ? withSyncOption(syncOptions, "CreateNamespace", true)
              : withoutSyncOption(syncOptions, "CreateNamespace"),
          )
        }
      />
      <span className="field-title">Sync options</span>
      <ListEditor
        label="Sync options"
        value={syncOptions}
        suggestions={writableSyncOptions("application")}
        onChange={putOptions}
      />
      <FormField
        label="Retries of a failed sync"
        value={retry?.limit === undefined ? "" : String(retry.limit)}
        onChange={putRetry}
      />
    </fieldset>
  );
}
