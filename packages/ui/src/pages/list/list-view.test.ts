import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readSearch, searchText } from "../../paths.ts";
import {
  defaultView,
  isFiltered,
  type ListView,
  layouts,
  readListView,
  sortedBy,
  sortKeys,
  toggled,
  withoutFilters,
  writeListView,
} from "./list-view.ts";

const throughTheAddress = (view: ListView) => readListView(readSearch(searchText(writeListView(view))));

const values = fc.uniqueArray(
  fc.string({ minLength: 1 }).filter((text) => !text.includes(",")),
  { maxLength: 3 },
);

const views: fc.Arbitrary<ListView> = fc.record(
  {
    text: fc.string(),
    chosen: fc.record(
      {
        health: values,
        sync: values,
        operation: values,
        project: values,
        cluster: values,
        namespace: values,
        label: values,
        repo: values,
        target: values,
        auto: values,
        changed: values,
        favourite: values,
      },
      { noNullPrototype: true },
    ),
    sort: fc.constantFrom(...sortKeys),
    descending: fc.boolean(),
    group: fc.constantFrom("", "project", "label:team"),
    layout: fc.constantFrom(...layouts),
    title: fc.string({ maxLength: 60 }),
  },
  { noNullPrototype: true },
);

test("any view of the list survives the address", () => {
  fc.assert(fc.property(views, (view) => assert.deepEqual(throughTheAddress(view), view)));
});

test("the default view has the plain address", () => {
  assert.equal(searchText(writeListView(defaultView)), "");
});

test("an address from elsewhere gives the nearest view", () => {
  const view = readListView({ sort: "-colour", view: "cubes", health: ",,Degraded," });
  assert.deepEqual(view, {
    ...defaultView,
    descending: true,
    chosen: { ...defaultView.chosen, health: ["Degraded"] },
  });
});

test("a filter goes on and off", () => {
  const on = toggled(defaultView, "health", "Degraded");
  assert.deepEqual(on.chosen.health, ["Degraded"]);
  assert.equal(isFiltered(on), true);
  assert.deepEqual(toggled(on, "health", "Degraded"), defaultView);
  assert.deepEqual(withoutFilters(on), defaultView);
});

test("sorting twice by the same column turns it around", () => {
  const once = sortedBy(defaultView, "name");
  assert.deepEqual([once.sort, once.descending], ["name", false]);
  assert.equal(sortedBy(once, "name").descending, true);
  assert.equal(sortedBy(sortedBy(once, "name"), "project").descending, false);
});
