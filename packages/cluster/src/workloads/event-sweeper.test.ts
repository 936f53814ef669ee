import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../types.ts";
import { resourceTypes } from "./resource-types.ts";
import { ManualClock, MemoryObjects, startWorld } from "./test-world.ts";

const { events } = resourceTypes;
const minuteMs = 60_000;

function eventOf(name: string, lastTimestamp?: string): KubeObject {
  const metadata = { name, namespace: "default" };
  return { apiVersion: "v1", kind: "Event", metadata, ...(lastTimestamp ? { lastTimestamp } : {}) };
}

/** Counts what is read of it. */
class CountedObjects extends MemoryObjects {
  reads: string[] = [];

  override get<T extends KubeObject>(type: string, namespace: string, name: string): T | undefined {
    if (type === events) this.reads.push(name);
    return super.get<T>(type, namespace, name);
  }

  override list<T extends KubeObject>(type: string, namespace?: string): readonly T[] {
    assert.ok(type !== events || this.isStill, "all events are read");
    return super.list<T>(type, namespace);
  }

  /** Whether the test itself asks. */
  isStill = true;

  names(): (string | undefined)[] {
    return super.list(events).map(({ metadata }) => metadata.name);
  }

  override namesOf(type: string): readonly { namespace: string; name: string }[] {
    const before = this.isStill;
    this.isStill = true;
    try {
      return super.namesOf(type);
    } finally {
      this.isStill = before;
    }
  }
}

test("Events from before the start go an hour after they were last seen, and only the oldest are read", async () => {
  const clock = new ManualClock();
  const at = (beforeMs: number) => new Date(clock.now() - beforeMs).toISOString();
  const objects = new CountedObjects(clock);
  await objects.create(events, eventOf("older", at(61 * minuteMs)));
  await objects.create(events, eventOf("old", at(59 * minuteMs)));
  for (let index = 0; index < 20; index += 1)
    await objects.create(events, eventOf(`young-${index}`, at(minuteMs)));
  [objects.isStill, objects.reads] = [false, []];
  using world = await startWorld({ clock, objects });
  assert.equal(objects.reads.length, 0);
  await world.pass(20_000);
  assert.equal(objects.names().includes("older"), false);
  assert.equal(objects.names().length, 21);
  assert.deepEqual([...new Set(objects.reads)].sort(), ["old", "older"]);
  await world.pass(2 * minuteMs);
  assert.equal(objects.names().includes("old"), false);
  await world.pass(60 * minuteMs);
  assert.deepEqual(objects.names(), []);
});
