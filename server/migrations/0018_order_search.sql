-- Searches of orders by an index of PostgreSQL's own, also by tags, tracking numbers and names of items. Not breaking:
-- converts the orders there are.

-- Words of an order, and their beginnings, each behind four letters that mark the organization and one that says whether it
-- tells who somebody is (p) or not (o). Part 0 is what hardly changes; tags and tracking numbers are part 1, so that
-- changing them does not write the rest again.
create table order_search (
  org_id uuid not null,
  order_id uuid not null,
  part smallint not null,
  created_at timestamptz not null,
  is_archived boolean not null,
  words tsvector not null,
  primary key (order_id, part)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);

-- What server/src/features/orders/list/search-words.ts does, for the orders there are: the texts of an order at once.
create function pg_temp.plain(text text) returns text language sql immutable as $$
  select case when text ~ '^[\u0020-\u005f\u0061-\u007e]*$' then lower(text) else
    translate(replace(replace(replace(replace(
      regexp_replace(lower(normalize(regexp_replace(text, '[‘’‛ʹʻʼˈ´`′＇｀]', '''', 'g'), nfkd)), '[\u0300-\u036f]', '', 'g'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'øłđðħŧı', 'olddhti') end $$;

-- Each word, and what is left of it from each of its parts on. The long class is what is neither a letter nor a digit.
create function pg_temp.words_of(texts text[]) returns setof text language sql immutable as $$
  select replace(substr(word, i), '''', '')
    from (select case when w ~ '^[a-z0-9]*$' then w else
            regexp_replace(w, '^[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]+|[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]+$', '', 'g') end as word
            from regexp_split_to_table(pg_temp.plain(array_to_string(texts, ' ')), '\s+') as w) words,
    generate_series(1, case when word ~ '^[a-z0-9]*$' then 1 else length(left(word, 100)) end) as i
   where i = 1 or substr(word, i - 1, 3) ~ '^[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f][^\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f]{2}' $$;

-- Which of the words so far tell who somebody is, nobody knows any more: all of them count as if they did.
insert into order_search (org_id, order_id, part, created_at, is_archived, words)
  select o.org_id, o.id, p.part, o.created_at, o.is_archived, p.words
    from orders o cross join lateral (
      select s.part, array_to_tsvector(array(
        select distinct right(o.org_id::text, 4) || w.kind || left(w.word, n)
          from (select 'o' as kind, word from pg_temp.words_of(s.texts) as word
                union all
                select 'p', word from string_to_table(
                  pg_temp.plain((select string_agg(replace(substr(lexeme, 7), '''', ''), ' ') from unnest(o.search))), ' ') as word
                 where s.part = 0) w,
            unnest(array[3, 4, 5, 6, 7, 8, 100]) as n
         where w.word <> '' and (n = 100 or n < length(w.word) and left(w.word, n) !~ '[0-9]'))) as words
        from (values
          (0, array[o.number, o.external_id, o.shipping_address ->> 'company', o.shipping_address ->> 'city',
                o.shipping_address ->> 'zip']
              || array(select t from jsonb_array_elements(o.lines) as l, unnest(array[l ->> 'sku', l ->> 'name']) as t)),
          (1, o.tags || array(select s ->> 'trackingNumber' from jsonb_array_elements(o.shipments) as s))) as s (part, texts)) p
   where p.words <> '';
create index order_search_words on order_search using gin (words);

drop table order_words;
drop function order_week;
alter table orders drop column search;
