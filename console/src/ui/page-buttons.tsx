import { Button } from "./button.tsx";

/** Previous and next page. */
export function PageButtons({ page, hasMore, onPage }: { page: number; hasMore: boolean; onPage(page: number): void }) {
  return (
    <>
      <Button onClick={() => onPage(page - 1)} disabledReason={page === 1 && "This is the first page."}>
        Previous
      </Button>
      <Button onClick={() => onPage(page + 1)} disabledReason={!hasMore && "This is the last page."}>
        Next
      </Button>
    </>
  );
}
