import sys
from pathlib import Path

# tests/ has no packages; this folder's writers are imported by name.
sys.path.insert(0, str(Path(__file__).parent))
