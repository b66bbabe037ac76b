-- Comparisons remember the cards of earlier days and which charts, sets and names of services they were worked out with. Not
-- breaking: those there are go by one card, as before, until they are processed again.

alter table rate_comparisons add column dated_cards jsonb, add column input_stamps jsonb;
