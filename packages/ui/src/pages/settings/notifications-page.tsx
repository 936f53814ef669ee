import { CommandLine } from "../../primitives/command-line.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { useServices, useTemplates, useTriggers } from "../../queries/places.ts";
import { useSettings } from "../../queries/session.ts";
import { SettingTexts } from "./setting-texts.tsx";
import { SettingsFrame } from "./settings-parts.tsx";

/** What the ConfigMap argocd-notifications-cm offers to subscriptions. */
export function NotificationsPage() {
  return (
    <SettingsFrame>
      <div className="listing">
        <h1>Notifications</h1>
        <p className="dim">
          An application subscribes by its annotation{" "}
          <code>
            notifications.argoproj.io/
            <wbr />
            subscribe.TRIGGER.SERVICE: recipient
          </code>
          .
        </p>
        <Names title="Triggers" query={useTriggers()} empty="No trigger is defined." />
        <Names title="Services" query={useServices()} empty="No service is defined: nothing is sent." />
        <Names title="Templates" query={useTemplates()} empty="No template is defined." />
        <SettingTexts map={configMap} />
        <h2>How they are changed</h2>
        <Written />
      </div>
    </SettingsFrame>
  );
}

const configMap = "argocd-notifications-cm";
const firstService =
  '{"data":{"service.webhook.chat":"url: https://chat.example.com/hooks/deploy\\nheaders:\\n- name: Authorization\\n  value: Bearer $hook-token\\n"}}';

/** Tokens, and all of it for whoever has no right to write it here. */
function Written() {
  const namespace = useSettings().data?.controllerNamespace ?? "argocd";
  const kubectl = `kubectl -n ${namespace}`;
  return (
    <>
      <p>
        They are kept in the ConfigMap <code>{configMap}</code>, and tokens in the Secret{" "}
        <code>argocd-notifications-secret</code>. Whoever has the right to update <code>settings</code>{" "}
        changes them here; in the cluster, or where git keeps them, whoever may there. The usual triggers with
        their templates:
      </p>
      <CommandLine
        text={`capstan admin notifications catalog --apply -n ${namespace} --url ${location.origin}`}
      />
      <p>A service, here a webhook with a token of the Secret:</p>
      <CommandLine text={`${kubectl} patch configmap ${configMap} --type merge -p '${firstService}'`} />
      <p>All of it, in an editor:</p>
      <CommandLine text={`${kubectl} edit configmap ${configMap}`} />
      <p>
        Who is told stands on each application, and is for whoever may update that: in its menu, Edit…, or
      </p>
      <CommandLine
        text={`${kubectl} annotate application NAME notifications.argoproj.io/subscribe.on-sync-failed.chat=`}
      />
    </>
  );
}

interface NamesProps {
  title: string;
  query: ReturnType<typeof useTriggers>;
  empty: string;
}

function Names({ title, query, empty }: NamesProps) {
  return (
    <Listing
      title={title}
      level="part"
      query={query}
      items={query.data && (query.data.items ?? [])}
      keyOf={({ name }) => name}
      columns={[{ label: "Name", cell: ({ name }) => <code>{name}</code> }]}
      empty={<p>{empty}</p>}
    />
  );
}
