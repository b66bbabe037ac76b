/** A group of the menu: files of the repository, each with a line about it. */
type MenuGroup = { title: string; pages: readonly (readonly [file: string, about: string, title?: string])[] };

/**
 * The menu of the documentation, its front page and llms.txt. Titles are the first headings of the files, unless given. A file that does not exist is
 * left out, and one of docs/ that is not listed appears under "More".
 */
export const menuGroups: readonly MenuGroup[] = [
  {
    title: "Start",
    pages: [
      ["docs/guides/start.md", "A key, an order and a bulk change with curl, TypeScript or Python"],
      ["docs/guides/concepts.md", "Orders, pipelines, runs, bridges, tasks, mappings and events in one picture"],
      ["docs/guides/tour.md", "Every part of the API once, with curl"],
      ["docs/features.md", "All parts in one list"],
      ["docs/console.md", "The pages of the console in the browser"],
    ],
  },
  {
    title: "Orders",
    pages: [
      ["docs/guides/connect-a-shop.md", "From a bridge to orders that arrive every quarter of an hour"],
      ["docs/imports.md", "CSV and XLSX files of known programs and of your own"],
      ["docs/orders.md", "Fields, lists, search and filters"],
      ["docs/guides/pipelines.md", "Preflight, run, retry and undo of several actions"],
      ["docs/selections.md", "Preflight and run over all orders that match a filter"],
      ["docs/actions.md", "Templates, rates and labels, e-mail, days"],
      ["docs/conditions.md", "The language of `when` in pipelines and automations"],
      ["docs/automations.md", "Pipelines triggered by events or on a schedule"],
      ["docs/exceptions.md", "The inbox of problems that need a person"],
      ["docs/packing.md", "Scan, pack, buy and print at a station"],
      ["docs/printing.md", "Labels, packing slips, pick lists and manifests as PDF files"],
      ["docs/stock.md", "Stock per location, reservations and allocation"],
      ["docs/people.md", "Invitations, passwords, notifications"],
    ],
  },
  {
    title: "Shipping and rates",
    pages: [
      ["docs/carriers.md", "Carrier accounts, labels, tracking, pickups and manifests"],
      ["docs/delivery-promises.md", "The promised day of a parcel, and what counts as on time"],
      ["docs/rating.md", "How rate cards and zone charts make a price"],
      ["docs/invoices.md", "Invoices of carriers, to the cent"],
    ],
  },
  {
    title: "Connect systems",
    pages: [
      ["docs/mapping.md", "Mappings between the data of a bridge and the hub"],
      ["docs/rest-connector.md", "Any HTTP API as a bridge", "The connector rest"],
      ["docs/connect/shopify.md", "Orders, fulfilments, stock and webhooks of Shopify"],
      ["docs/connect/woocommerce.md", "Orders, fulfilments and webhooks of WooCommerce"],
      ["docs/connect/amazon.md", "Ready-made definition"],
      ["docs/connect/bigcommerce.md", "Ready-made definition"],
      ["docs/connect/ebay.md", "Ready-made definition"],
      ["docs/connect/etsy.md", "Ready-made definition"],
      ["docs/connect/magento.md", "Ready-made definition"],
      ["docs/connect/netsuite.md", "Ready-made definition"],
      ["docs/connect/saleor.md", "Ready-made definition"],
      ["docs/connect/vendure.md", "Ready-made definition"],
    ],
  },
  {
    title: "Build on it",
    pages: [
      ["docs/guides/receive-events.md", "Read events and receive webhooks, also on your own machine"],
      ["docs/event-feed.md", "The feed, streams and progress of runs"],
      ["docs/webhooks.md", "Signed, retried deliveries of events"],
      ["sdk/README.md", "The typed client for TypeScript and JavaScript", "TypeScript SDK"],
      ["docs/integration-tests.md", "Test your integration against the preview, with a clock you set"],
      ["docs/cli.md", "The command line for remote work"],
      ["docs/mcp.md", "Tools for assistants, with preflight and undo"],
      ["docs/plugins.md", "Connectors, carriers and actions of your own"],
    ],
  },
  {
    title: "Reference",
    pages: [
      ["docs/action-reference.md", "Every action with its params and an example"],
      ["docs/events.md", "Every type of event and its data"],
      ["docs/errors.md", "Every error code with its cause and fix"],
      ["docs/scopes.md", "What each scope permits, and who has it"],
      ["docs/states.md", "States of orders, labels, pickups and shipments as diagrams"],
      ["docs/glossary.md", "The terms of the hub"],
      ["docs/versioning.md", "What may change in the API, and how it is announced"],
      ["CHANGELOG.md", "What changed in each version"],
    ],
  },
  {
    title: "Run it",
    pages: [
      ["docs/operate.md", "Settings, processes, backups, upgrades, metrics"],
      ["SECURITY.md", "Who may see and do what, and how to report a flaw"],
      ["docs/audit.md", "Verify the log of changes without trusting the hub"],
      ["docs/promises.md", "What the hub promises, with the test that proves it"],
      ["docs/schema.md", "Tables and columns of the database"],
    ],
  },
  {
    title: "Change it",
    pages: [
      ["CONTRIBUTING.md", "Recipes for changes, each with the tests to run"],
      ["ARCHITECTURE.md", "Where things are, and the life of a request"],
      ["docs/decisions", "Why it is as it is"],
      ["bench/README.md", "How fast it is, as ratios"],
    ],
  },
];
