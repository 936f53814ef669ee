import type { Application } from "@capstan/model";
import { EventTable } from "../../parts/event-table.tsx";
import type { AppRef } from "../../paths.ts";
import { comparisonOf, useEvents } from "../../queries/details.ts";

export function EventsTab({ app, appRef }: { app: Application; appRef: AppRef }) {
  const query = useEvents(appRef, { withObjects: true }, comparisonOf(app));
  return <EventTable query={query} about={appRef.name} />;
}
