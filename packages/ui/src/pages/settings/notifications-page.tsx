import { Listing } from "../../primitives/listing.tsx";
import { useServices, useTemplates, useTriggers } from "../../queries/places.ts";
import { SettingsFrame } from "./settings-parts.tsx";

/** What the ConfigMap argocd-notifications-cm offers to subscriptions. */
export function NotificationsPage() {
  return (
    <SettingsFrame>
      <div className="listing">
        <h1>Notifications</h1>
        <p className="dim">
          An application subscribes by its annotation{" "}
          <code>notifications.argoproj.io/subscribe.TRIGGER.SERVICE: recipient</code>.
        </p>
        <Names title="Triggers" query={useTriggers()} empty="No trigger is defined." />
        <Names title="Services" query={useServices()} empty="No service is defined: nothing is sent." />
        <Names title="Templates" query={useTemplates()} empty="No template is defined." />
      </div>
    </SettingsFrame>
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
