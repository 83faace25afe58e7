CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE document (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL);
CREATE TABLE sentence (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES document, position REAL NOT NULL,
    sent_id TEXT NOT NULL, surface TEXT NOT NULL, words INTEGER NOT NULL,
    text TEXT NOT NULL,                                 -- its lines as imported, byte for byte, or as a split made them
    created_by INTEGER REFERENCES event,                -- the split that made it; NULL: imported
    is_gone INTEGER NOT NULL DEFAULT 0                  -- derived: joined to another one, or its split was undone
);
CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, author TEXT NOT NULL, op_id TEXT UNIQUE NOT NULL,
    layer TEXT NOT NULL, sentence INTEGER REFERENCES sentence, kind TEXT NOT NULL, payload TEXT NOT NULL,
    undoes INTEGER REFERENCES event                     -- the event that an undo or a redo is about
);
CREATE TABLE tree (
    sentence INTEGER NOT NULL REFERENCES sentence, layer TEXT NOT NULL, seq INTEGER NOT NULL REFERENCES event,
    draft TEXT NOT NULL, shown TEXT NOT NULL, status TEXT NOT NULL, decided INTEGER NOT NULL, notes INTEGER NOT NULL,
    unsure INTEGER NOT NULL, lint INTEGER NOT NULL, labels TEXT NOT NULL, PRIMARY KEY (sentence, layer)
) WITHOUT ROWID;
CREATE TABLE person (name TEXT PRIMARY KEY, role TEXT NOT NULL, token_hash TEXT NOT NULL, rank INTEGER NOT NULL);
CREATE TABLE suggestion (
    sentence INTEGER PRIMARY KEY REFERENCES sentence, model TEXT NOT NULL, shown TEXT NOT NULL,
    doubtful INTEGER NOT NULL, errors REAL NOT NULL, lint INTEGER NOT NULL
);
CREATE TABLE model (id TEXT PRIMARY KEY, file TEXT NOT NULL, at TEXT NOT NULL, metrics TEXT NOT NULL);
CREATE INDEX sentence_order ON sentence (document, position);
CREATE INDEX event_of ON event (sentence, seq);
CREATE TRIGGER event_stays BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER event_is_final BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER sentence_stays BEFORE DELETE ON sentence BEGIN SELECT RAISE(ABORT, 'sentences stay'); END;
CREATE TRIGGER sentence_is_final BEFORE UPDATE OF text ON sentence BEGIN SELECT RAISE(ABORT, 'originals stay'); END;
