/**
 * A fair queue for request slots. Each tenant (an organization, or an address of anonymous callers) has its own queue. The
 * tenant with the fewest running requests is served first, round robin among equals: a thousand waiting requests of one
 * tenant do not delay the first request of another.
 */
export type RequestQueue = {
  /**
   * Resolves with a slot, which has to be released, or with the reason for not getting one. A request that has to wait
   * receives a function that removes it from the queue.
   */
  acquire(tenant: string, onQueued?: (leave: () => void) => void): Promise<Slot | Rejection>;
  /** For a request that released its slot during a wait: first in its tenant's queue, without a time limit. */
  reacquire(tenant: string): Promise<Slot>;
  running(): number;
  waiting(): number;
  waitingOf(tenant: string): number;
};

export type Slot = { release(): void };
type Rejection = { rejected: "queue_full" | "queue_timeout" | "left" };

export type QueueLimits = {
  slots: number;
  /** Maximum running requests per tenant. */
  perTenant(): number;
  /** Maximum waiting requests per tenant. */
  maxWaiting: number;
  maxWaitMs: number;
};

type Waiter = { start(): void; timeout?: NodeJS.Timeout };
type Tenant = { running: number; queue: Waiter[] };

export function createRequestQueue({ slots, perTenant, maxWaiting, maxWaitMs }: QueueLimits): RequestQueue {
  /** Tenants with running or waiting requests. Map order is the round robin: the tenant served last is at the end. */
  const tenants = new Map<string, Tenant>();
  let running = 0;
  let waiting = 0;

  const hasRoom = (tenant: Tenant): boolean => running < slots && tenant.running < perTenant();
  const tenantOf = (name: string): Tenant => tenants.getOrInsertComputed(name, () => ({ running: 0, queue: [] }));

  function forgetIfIdle(name: string, tenant: Tenant): void {
    if (tenant.running === 0 && tenant.queue.length === 0 && tenants.get(name) === tenant) tenants.delete(name);
  }

  function begin(name: string, tenant: Tenant): Slot {
    running++;
    tenant.running++;
    let isReleased = false;
    return {
      release() {
        if (isReleased) return;
        isReleased = true;
        running--;
        tenant.running--;
        forgetIfIdle(name, tenant);
        serveNext();
      },
    };
  }

  function serveNext(): void {
    while (waiting > 0) {
      const next = leastServed();
      if (!next) return;
      const [name, tenant] = next;
      waiting--;
      tenants.delete(name);
      tenants.set(name, tenant);
      tenant.queue.shift()!.start();
    }
  }

  function leastServed(): [string, Tenant] | undefined {
    let found: [string, Tenant] | undefined;
    for (const [name, tenant] of tenants) {
      if (tenant.queue.length === 0 || (found && tenant.running >= found[1].running) || !hasRoom(tenant)) continue;
      found = [name, tenant];
    }
    return found;
  }

  function waiterFor(resolve: () => void): Waiter {
    waiting++;
    return {
      start() {
        clearTimeout(this.timeout);
        resolve();
      },
    };
  }

  return {
    acquire(name, onQueued) {
      const tenant = tenantOf(name);
      if (tenant.queue.length === 0 && hasRoom(tenant)) return Promise.resolve(begin(name, tenant));
      if (tenant.queue.length >= maxWaiting) return Promise.resolve({ rejected: "queue_full" });
      return new Promise((resolve) => {
        const waiter = waiterFor(() => resolve(begin(name, tenant)));
        tenant.queue.push(waiter);
        const leave = (rejected: Rejection["rejected"]): void => {
          const position = tenant.queue.indexOf(waiter);
          if (position === -1) return;
          clearTimeout(waiter.timeout);
          tenant.queue.splice(position, 1);
          waiting--;
          forgetIfIdle(name, tenant);
          resolve({ rejected });
        };
        waiter.timeout = setTimeout(leave, maxWaitMs, "queue_timeout");
        onQueued?.(() => leave("left"));
      });
    },
    reacquire(name) {
      const tenant = tenantOf(name);
      if (hasRoom(tenant)) return Promise.resolve(begin(name, tenant));
      return new Promise((resolve) => tenant.queue.unshift(waiterFor(() => resolve(begin(name, tenant)))));
    },
    running: () => running,
    waiting: () => waiting,
    waitingOf: (name) => tenants.get(name)?.queue.length ?? 0,
  };
}
