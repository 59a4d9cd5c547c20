-- The tables of goldgate.duckdb. A cache replayed from objects and ledger: a changed layout is a rebuild, never a
-- migration. No keys on bulk tables (5 times slower to load); uniqueness and references are checked by set checks
-- before a row is accepted. Tables are insert-only, guarded by triggers: a guard rail, the proof is the ledger.

create table event (               -- which ledger events have been applied
  seq bigint not null,             -- position in the ledger, from 1
  hash varchar not null            -- of that ledger line
);

create table frame_item (          -- items of a round, frozen when it opened
  study_id varchar not null,
  round_id varchar not null,
  item_id varchar not null,        -- the user's own key
  item_version varchar not null,   -- what was in front of the annotator: a version or a content hash
  cell varchar not null,           -- stratum of the pool whose condition it meets first, else 'rest'
  slice varchar not null,          -- what it was drawn for: 'uniform' or a stratum
  inclusion_probability varchar not null,  -- decimal text or fraction; '' where nothing was drawn
  cluster varchar not null         -- value of the registered cluster column; '' without one
);

create table assignment (          -- who was asked about which item, frozen when the round opened
  study_id varchar not null,
  round_id varchar not null,
  item_id varchar not null,
  annotator_id varchar not null,
  since_seq bigint not null        -- the event that made it: the opening, or a reassignment
);

create table released_assignment ( -- assignments taken back by a reassignment; labels given before stay
  study_id varchar not null,
  round_id varchar not null,
  item_id varchar not null,
  annotator_id varchar not null,
  since_seq bigint not null
);

create view asked_label as         -- who is asked about which item now
  select study_id, round_id, item_id, annotator_id from assignment
  except all
  select study_id, round_id, item_id, annotator_id from released_assignment;

create table raw_label (           -- every row ever accepted, as given
  study_id varchar not null,
  round_id varchar not null,
  ingest_seq bigint not null,      -- the ledger event it came with; a later one of the same key is a revision
  item_id varchar not null,
  item_version varchar not null,
  annotator_id varchar not null,
  status varchar not null check (status in ('labelled', 'abstained', 'skipped', 'draft', 'submitted_empty', 'never_shown')),
  label varchar not null,          -- exactly as declared; '' unless labelled
  abstain_reason varchar not null, -- one of the declared reasons; '' unless abstained
  guideline_version varchar not null,
  labelled_at varchar not null,    -- as given; '' where unknown
  origin varchar not null check (origin in ('own', 'prediction', 'copied', 'reviewer', 'gold')),
  set_aside varchar not null check (set_aside in ('', 'other-version', 'other-round', 'gold')),
  occurrence integer not null check (occurrence >= 1),  -- 1, 2 … among one annotator's rows of one item version
  late boolean not null,           -- came after the round was measured: stored, never in a gated figure
  check ((status = 'labelled') = (label <> '')),
  check ((status = 'abstained') = (abstain_reason <> ''))
);

create view answered_label as      -- who has answered what; an item never shown and a draft are no answers yet
  select distinct study_id, round_id, item_id, annotator_id from raw_label
  where origin = 'own' and status not in ('never_shown', 'draft');

create table adjudication (        -- a third person's decisions; never read by anything that computes agreement
  study_id varchar not null,
  round_id varchar not null,
  recorded_seq bigint not null,    -- a later one of the same item supersedes
  item_id varchar not null,
  label varchar not null,          -- '' where undecidable
  adjudicator_id varchar not null,
  reason varchar not null check (reason <> '')
);

create table refused_change (message varchar);  -- stays empty: the triggers below write to it by failing

create trigger raw_label_no_update after update on raw_label referencing old table as o
  for each statement insert into refused_change select error('raw_label is insert-only') from o limit 1;
create trigger raw_label_no_delete after delete on raw_label referencing old table as o
  for each statement insert into refused_change select error('raw_label is insert-only') from o limit 1;
create trigger adjudication_no_update after update on adjudication referencing old table as o
  for each statement insert into refused_change select error('adjudication is insert-only') from o limit 1;
create trigger adjudication_no_delete after delete on adjudication referencing old table as o
  for each statement insert into refused_change select error('adjudication is insert-only') from o limit 1;
create trigger frame_item_no_update after update on frame_item referencing old table as o
  for each statement insert into refused_change select error('frame_item is insert-only') from o limit 1;
create trigger frame_item_no_delete after delete on frame_item referencing old table as o
  for each statement insert into refused_change select error('frame_item is insert-only') from o limit 1;
